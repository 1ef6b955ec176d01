#include "flare/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flare {
namespace {

TEST(Utf8, DecodesEveryLengthAndRefusesMalformedBytes) {
  for (const char32_t code : {U'a', U'×', U'ε', U'∘', U'𝓐', char32_t{0x10FFFF}}) {
    const std::string text = ToUtf8(code);
    ASSERT_EQ(Utf8CharacterAt(text, 0), text);
    EXPECT_EQ(CodePoint(text), code);
    EXPECT_FALSE(text.size() > 1 && Utf8CharacterAt(text.substr(0, text.size() - 1), 0));
  }
  for (const char* bad : {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF8\x88\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(Utf8CharacterAt(bad, 0)) << Quoted(bad);
  }
}

TEST(Lines, KeepsEmptyLinesAndAnUnterminatedLastOne) {
  using L = std::vector<std::string_view>;
  EXPECT_EQ(Lines(""), L{});
  EXPECT_EQ(Lines("\n"), L{""});
  EXPECT_EQ(Lines("a\n\nb\n"), (L{"a", "", "b"}));
  EXPECT_EQ(Lines("a\nb"), (L{"a", "b"}));
}

TEST(Lines, CarriageReturnsAreStripped) {
  using L = std::vector<std::string_view>;
  EXPECT_EQ(Lines("a\r\n\r\nb\r"), (L{"a", "", "b"}));
  EXPECT_EQ(Lines("a\rb\n"), L{"a\rb"});
}

TEST(Nearest, FindsSlipsOfTheHandOnly) {
  const std::vector<std::string> names{"parity", "majority", "first"};
  EXPECT_EQ(Nearest("parit", names), "parity");
  EXPECT_EQ(Nearest("frist", names), "first");
  EXPECT_EQ(Nearest("PARITY", names), "parity");
  EXPECT_EQ(Nearest("maj", names), "majority");
  EXPECT_EQ(Nearest("banana", names), std::nullopt);
  // Neighbours that were swapped are one slip, and a short word may have no more.
  EXPECT_EQ(Nearest("otu", std::vector<std::string>{"to", "out"}), "out");
  EXPECT_EQ(Nearest("wd", std::vector<std::string>{"lm", "to", "d"}), "d");
  EXPECT_EQ(Nearest("scheduler", std::vector<std::string>{"heads", "seed", "hidden"}),
            std::nullopt);
  EXPECT_EQ(Nearest("x", {}), std::nullopt);
}

TEST(Quoted, ShowsBytesThatATerminalWouldNot) {
  EXPECT_EQ(Quoted("0×1"), "'0×1'");
  EXPECT_EQ(Quoted("a\r"), "'a\\x0d'");
  EXPECT_EQ(Quoted("\xFF"), "'\\xff'");
  EXPECT_EQ(Quoted("\uFEFF0"), "'\\xef\\xbb\\xbf0'");
  EXPECT_EQ(Quoted(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Visible, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Visible("größe"), "größe");
  EXPECT_EQ(Visible("\033[31mred\a\n"), "\\x1b[31mred\\x07\\x0a");
  EXPECT_EQ(Visible("one\ntwo\r", "\n\t"), "one\ntwo\\x0d");
  EXPECT_EQ(Visible("\xC2\x9B"
                    "31m"),
            "\\xc2\\x9b31m");  // U+009B, as ESC [
  EXPECT_EQ(Visible("a\xE2\x80\xAE"
                    "b"),
            "a\\xe2\\x80\\xaeb");  // U+202E turns the writing round
  EXPECT_EQ(Visible("\xFF"), "\\xff");
  EXPECT_EQ(Visible(std::string(1000, 'x')), std::string(1000, 'x'));
}

TEST(Listed, SeparatesAsAPersonWould) {
  const std::vector<std::string> words = {"a", "b", "c"};
  EXPECT_EQ(Listed(std::span(words).first(1), "or"), "a");
  EXPECT_EQ(Listed(std::span(words).first(2), "or"), "a or b");
  EXPECT_EQ(Listed(words, "and"), "a, b and c");
}

}  // namespace
}  // namespace flare
