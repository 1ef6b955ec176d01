#include <gtest/gtest.h>

#include <string>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "support/random_automata.h"

namespace flare {
namespace {

Dfa Read(const std::string& text, const AttOptions& options = {}) {
  return ParseAtt(text, "file", options);
}

std::string ErrorOf(const std::string& text, const AttOptions& options = {}) {
  try {
    Read(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Att, TheFirstLineNamesTheStartState) {
  const Dfa ab = CompileRegex("ab");
  EXPECT_EQ(Read("7 3 a a\n3 0 b b\n0\n"), ab);
  EXPECT_EQ(Read("4000000000\t3\ta\ta\n3\t0\tb\tb\n0\n"), ab);
  // A final state can come first: then it is the start.
  EXPECT_EQ(Read("5\n5 6 a a\n6 5 b b\n"), CompileRegex("(ab)*"));
}

TEST(Att, ReadsTransducerAndAcceptorColumns) {
  const Dfa ab = CompileRegex("ab");
  EXPECT_EQ(Read("0 1 a a 0.5\n1 2 b b\n2 3.25\n"), ab);
  EXPECT_EQ(Read("0 1 a\n1 2 b\n2\n"), ab);
  // Three fields anywhere make four fields end in a weight.
  EXPECT_EQ(Read("0 1 a 0.5\n1 2 b\n2\n"), ab);
  EXPECT_EQ(Read("0 1 a 0.5\n1 2 b 1e-3\n2\n", {.acceptor = true}), ab);
  EXPECT_EQ(
      ErrorOf("0 1 a 0.5\n1 2 b 1\n2\n"),
      "file:1: input label 'a' and output label '0.5' differ: a transducer is not a language");
  EXPECT_EQ(Read("\n0  1\t a a\n\n1 2 b b \n2\n"), ab);
}

TEST(Att, InfinityMeansAbsent) {
  EXPECT_EQ(Read("0 1 a a\n0 1 b b Infinity\n1 Infinity\n1 2 b b\n2 0\n"), CompileRegex("ab"));
  EXPECT_EQ(Read("0 1 a\n0 2 b Infinity\n2\n1\n"), CompileRegex("a", {"b"}));
  EXPECT_EQ(ErrorOf("0 1 a a x\n1\n"), "file:1: weight 'x' is neither a number nor Infinity");
  EXPECT_EQ(ErrorOf("0 1 a a\n1 nan\n"), "file:2: weight 'nan' is neither a number nor Infinity");
}

TEST(Att, KnowsTheNamesOfEpsilon) {
  for (const std::string eps : {"<eps>", "<EPS>", "@0@"}) {
    EXPECT_EQ(Read("0 1 a a\n1 2 " + eps + " " + eps + "\n2 3 b b\n3\n"), CompileRegex("ab"));
  }
  // Without a symbol table, 0 is a symbol like any other.
  EXPECT_EQ(Read("0 1 0 0\n1\n"), CompileRegex("0"));
}

TEST(Att, ReadsSymbolTables) {
  const auto table = ParseSymbolTable("nothing 0\na 1\nb\t2\nc 3\n", "table");
  const Dfa ab = CompileRegex("ab", {"c"});
  // By name, whatever name ε has ...
  EXPECT_EQ(Read("0 1 a a\n1 2 nothing nothing\n2 3 b b\n3\n", {.symbols = table}), ab);
  // ... or by number.
  EXPECT_EQ(Read("0 1 1 1\n1 2 0 0\n2 3 2 2\n3\n", {.symbols = table}), ab);
  EXPECT_EQ(ErrorOf("0 1 a a\n1 2 d d\n2\n", {.symbols = table}),
            "file:2: label 'd' is not in the symbol table");
  EXPECT_EQ(ErrorOf("0 1 a a\n1 2 1 1\n2\n", {.symbols = table}),
            "file:2: label '1' is not in the symbol table");
  // Where digits are names, names come first; a label that is not a name makes all of them numbers.
  const auto digits = ParseSymbolTable("<eps> 0\n0 1\n1 2\n", "table");
  EXPECT_EQ(Read("0 1 0 0\n1 2 1 1\n2\n", {.symbols = digits}), CompileRegex("01"));
  EXPECT_EQ(Read("0 1 1 1\n1 2 2 2\n2\n", {.symbols = digits}), CompileRegex("01"));
}

// Found by review: <eps> with a number of its own was looked up in an alphabet that had left it
// out.
TEST(Att, EpsilonCanHaveAnyNumber) {
  const auto table = ParseSymbolTable("a 1\n<eps> 5\n", "table");
  EXPECT_EQ(Read("0 1 5 5\n1 2 1 1\n2\n", {.symbols = table}), CompileRegex("a"));
  EXPECT_EQ(Read("0 1 <eps> <eps>\n1 2 a a\n2\n", {.symbols = table}), CompileRegex("a"));
}

TEST(Att, ZeroIsEpsilonWithASymbolTableThatDoesNotNameIt) {
  const auto table = ParseSymbolTable("<eps> 0\na 1\nb 2\n", "table");
  EXPECT_EQ(Read("0 1 a a\n1 2 0 0\n2 3 b b\n3\n", {.symbols = table}), CompileRegex("ab"));
}

TEST(Att, ReadsWeightsAsOpenFstDoes) {
  // Floats: what overflows is Infinity, hence not final.
  EXPECT_EQ(Read("0 1 a a\n0 1e39\n1 +1\n"), CompileRegex("a"));
  EXPECT_EQ(Read("0 1 a a 0x1p3\n1 1e-60\n"), CompileRegex("a"));
}

TEST(Att, SaysWhatIsWrongWithASymbolTable) {
  const auto error_of = [](const char* text) -> std::string {
    try {
      ParseSymbolTable(text, "table");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of("a 1\nb\n"), "table:2: 1 fields, expected a symbol and its number");
  EXPECT_EQ(error_of("a 1 2\n"), "table:1: 3 fields, expected a symbol and its number");
  EXPECT_EQ(error_of("a -1\n"), "table:1: '-1' is not a number from 0");
  EXPECT_EQ(error_of("a 1\na 2\n"), "table:2: symbol 'a' is listed twice");
  EXPECT_EQ(error_of("a 1\nb 1\n"), "table:2: number 1 is already 'a'");
}

TEST(Att, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ErrorOf(""), "file: no states: an automaton has at least one line");
  EXPECT_EQ(ErrorOf("0 1 a a\nx\n"), "file:2: state 'x' is not a number");
  EXPECT_EQ(ErrorOf("0 -1 a a\n"), "file:1: state '-1' is not a number");
  EXPECT_EQ(ErrorOf("0 1 a b\n1\n"),
            "file:1: input label 'a' and output label 'b' differ: a transducer is not a language");
  EXPECT_EQ(ErrorOf("0 1 a a 0 0\n"),
            "file:1: 6 fields; expected 1 or 2 for a final state, 4 or 5 for a transition");
  EXPECT_EQ(ErrorOf("0 1 a\n1 2 b 0 0\n2\n"),
            "file:2: 5 fields; expected 1 or 2 for a final state, 3 or 4 for a transition");
  EXPECT_EQ(ErrorOf("0 1 \xFF \xFF\n1\n"), "file:1: symbol '\\xff' is not UTF-8");
  EXPECT_EQ(ErrorOf("0\n"), "file: the automaton has no symbols");
  EXPECT_EQ(ErrorOf(std::string("\xd6\xfd\xb2\x7e\x06\0\0\0vector", 14)),
            "file: is an OpenFst binary file, expected AT&T text");
}

TEST(Att, NondeterministicInputIsDeterminized) {
  const auto strings = AllStrings(2, 6);
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rng rng = Rng::For(0, "att-test", i);
    Nfa nfa = RandomNfa(1 + rng.UniformInt(std::uint64_t{6}), Letters(2), 10, rng);
    std::string text;
    const auto row = [&](std::size_t q, const Nfa::Transition& t) {
      const std::string label = t.symbol ? nfa.alphabet.Name(*t.symbol) : "<eps>";
      return std::to_string(q) + " " + std::to_string(Index(t.target)) + " " + label + " " + label +
             "\n";
    };
    // A harmless first line that makes the start state the start.
    text += std::to_string(Index(nfa.start)) + " Infinity\n";
    for (std::size_t q = 0; q < nfa.states.size(); ++q) {
      for (const auto& t : nfa.states[q].transitions) text += row(q, t);
      if (nfa.states[q].accept_weight) text += std::to_string(q) + "\n";
    }
    const Dfa dfa = Read(text, {.extra_symbols = {"a", "b"}});
    for (const String& w : strings) ASSERT_EQ(dfa.Accepts(w), NaiveAccepts(nfa, w)) << text;
  }
}

TEST(Att, ReadsBackWhatItWrites) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rng rng = Rng::For(1, "att-test", i);
    const Dfa dfa = Minimize(RandomDfa(6, Letters(3), 0.6, rng));
    if (IsEmpty(dfa)) continue;
    const auto table = ParseSymbolTable(FormatSymbolTable(dfa.alphabet()), "table");
    EXPECT_EQ(Read(FormatAtt(dfa), {.symbols = table}), dfa);
    EXPECT_EQ(Read(FormatAtt(dfa), {.extra_symbols = {"a", "b", "c"}}), dfa);
  }
}

TEST(Att, RefusesToWriteASymbolThatWouldBeReadAsEpsilon) {
  EXPECT_THROW(FormatAtt(CompileRegex("<\\<eps\\>>")), InputError);
}

TEST(Dot, IsReadableByGraphviz) {
  EXPECT_EQ(FormatDot(CompileRegex("<\">(a|b)*"), "a \"title\""),
            "digraph \"a \\\"title\\\"\" {\n"
            "  rankdir=LR;\n"
            "  node [shape=circle];\n"
            "  start [shape=point];\n"
            "  start -> 0;\n"
            "  0;\n"
            "  1 [shape=doublecircle];\n"
            "  0 -> 1 [label=\"\\\"\"];\n"
            "  1 -> 1 [label=\"a, b\"];\n"
            "}\n");
}

}  // namespace
}  // namespace flare
