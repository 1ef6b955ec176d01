#include "flare/automata/alphabet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flare/base/error.h"

namespace flare {
namespace {

TEST(Alphabet, SortsByCodePointAndDropsRepetitions) {
  const Alphabet alphabet({"×", "1", "=", "0", "1", "PUSH", "𝓐", "ε"});
  EXPECT_EQ(alphabet.names(), (std::vector<std::string>{"0", "1", "=", "PUSH", "×", "ε", "𝓐"}));
  EXPECT_EQ(alphabet.Find("×"), SymbolAt(4));
  EXPECT_EQ(alphabet.Find("x"), std::nullopt);
}

TEST(Alphabet, RefusesNamesThatCannotBeTokens) {
  for (const std::string name : {"", "a b", "a\n", "\xFF", "\u00A0", "\u3000", "\x7F"}) {
    EXPECT_THROW(Alphabet({name}), InputError) << name;
  }
}

TEST(Alphabet, ParsesWhatItFormats) {
  const Alphabet alphabet({"(0", ")0", "×"});
  for (const char* line : {"", "×", "(0 )0 × (0"}) {
    EXPECT_EQ(alphabet.Format(alphabet.Parse(line, "")), line);
  }
}

TEST(Alphabet, NamesWhatItCannotParse) {
  const Alphabet alphabet({"0", "1"});
  const auto message = [&](const char* line) -> std::string {
    try {
      alphabet.Parse(line, "file:3");
    } catch (const InputError& error) {
      return std::string(error.what()) + "|" + error.hint();
    }
    return "accepted";
  };
  EXPECT_EQ(message("0 2 1"), "file:3: unknown symbol '2'|expected one of: 0 1");
  EXPECT_EQ(message("010"), "file:3: unknown symbol '010'|separate the symbols by spaces");
  for (const char* line : {"0  1", " 0", "0 ", " "}) {
    EXPECT_EQ(message(line), "file:3: stray space; symbols are separated by single spaces|");
  }
}

}  // namespace
}  // namespace flare
