#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/grammars/grammar.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

std::vector<std::string> Rewritten(const std::string& text) {
  return FormatGrammar(ParseGrammar(text, "g.cfg"));
}

std::string GrammarRefusal(const std::string& text) {
  return RefusalOf([&] { ParseGrammar(text, "g.cfg"); });
}

TEST(GrammarText, ReadsWhatNltkReads) {
  EXPECT_EQ(
      Rewritten("# a comment\n"
                "\n"
                "%start E\r\n"
                "T->'x'|\"(\" E ')'|\n"
                "  E -> E '+' \\\n"
                "       T [0.25] | T [.75]\n"),
      (std::vector<std::string>{"E -> E '+' T [0.25] | T [0.75]", "T -> 'x' | '(' E ')' | "}));
  // A left side may come again; names may have /, ^, <, > and -.
  EXPECT_EQ(Rewritten("S -> NP-SBJ/x\nNP-SBJ/x -> 'a'\nS -> \"it's\"\n"),
            (std::vector<std::string>{"S -> NP-SBJ/x | \"it's\"", "NP-SBJ/x -> 'a'"}));
  EXPECT_EQ(Rewritten("Süß -> 'ä' [0.5] | [0.5]"),
            (std::vector<std::string>{"Süß -> 'ä' [0.5] | [0.5]"}));
}

TEST(GrammarText, ReadsBackWhatItWrites) {
  const std::string text = "S -> 'b' S A [0.1] | [0.9]\nA -> 'a' | A A | \n";
  const auto lines = Rewritten(text);
  EXPECT_EQ(Rewritten(fmt::format("{}", fmt::join(lines, "\n"))), lines);
}

TEST(GrammarText, GivesEqualWeightsWhereNoneAreGiven) {
  const Grammar grammar = ParseGrammar("S -> 'a' | 'b' S | S 'c' |", "g.cfg");
  for (const Grammar::Rule& rule : grammar.rules) EXPECT_EQ(rule.weight, 0.25);
}

TEST(GrammarText, TakesSymbolsThatNoRuleHas) {
  EXPECT_EQ(ParseGrammar("S -> 'a'", "g", {"b"}).alphabet.names(),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(ParseGrammar("S -> ", "g", {"b"}).alphabet.names(), std::vector<std::string>{"b"});
}

TEST(GrammarText, NamesFileLineAndColumnOfWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "g.cfg: no rules: a grammar has at least one"},
      {"# only a comment\n", "g.cfg: no rules: a grammar has at least one"},
      {"S = 'a'", "g.cfg:1:3: '= 'a'' is not -> after S"},
      {"S", "g.cfg:1:2: the line ends, expected -> after S"},
      {"'a' -> S", "g.cfg:1:1: ''a' -> S' is not the nonterminal on the left of ->"},
      {"S -> 'a' T", "g.cfg:1:10: the nonterminal 'T' has no rules; a terminal is quoted: 'T'"},
      {"S -> 'a' \\\n  T",
       "g.cfg:2:3: the nonterminal 'T' has no rules; a terminal is quoted: "
       "'T'"},
      {"S -> 'ä' T", "g.cfg:1:10: the nonterminal 'T' has no rules; a terminal is quoted: 'T'"},
      {"S -> 'a", "g.cfg:1:6: the terminal ''a' has no closing quote"},
      {"S -> 'a' S | ε",
       "g.cfg:1:14: ε is not a symbol; an alternative without symbols is the empty string: S -> "
       "'a' S |"},
      {"S -> ''", "g.cfg:1:6: a terminal without a name; ε is an empty alternative"},
      {"S -> 'a b'", "g.cfg:1:6: "},
      {"S -> 'a' [0.5] | 'b'", "g.cfg:1:18: S has alternatives with weights and without"},
      {"S -> 'a' [0.5]\nS -> 'b'", "g.cfg:2:1: S has alternatives with weights and without"},
      {"S -> 'a' [0.5] | 'b' [0.4]", "g.cfg:1:1: the weights of S add up to 0.9, not 1"},
      {"S -> 'a' [0] | 'b' [1]", "g.cfg:1:10: '[0]' is not a probability above 0, as [0.25]"},
      {"S -> 'a' [1.5]", "g.cfg:1:10: '[1.5]' is not a probability above 0, as [0.25]"},
      {"S -> 'a' [0.5", "g.cfg:1:10: '[0.5' is not a probability above 0, as [0.25]"},
      {"S -> 'a' [0.5] 'b' | [0.5]",
       "g.cfg:1:16: ''b' | [0.5]' is not | or the end of the line, after a weight"},
      {"S -> a ( b", "g.cfg:1:8: '( b' is not a nonterminal, a quoted terminal, | or a weight"},
      {"%begin S\nS -> 'a'", "g.cfg:1:1: '%begin S' is not %start, the only directive"},
      {"%start T\nS -> 'a'",
       "g.cfg:1:8: the nonterminal 'T' has no rules; a terminal is quoted: "
       "'T'"},
      {"%start S\n%start S\nS -> 'a'", "g.cfg:2:1: a second %start; the first was S"},
      {"%start S 'a'\nS -> 'a'", "g.cfg:1:10: ''a'' is not the end of the line"},
      {"S -> S | ", "g.cfg: the grammar has no terminals; name symbols with --alphabet"},
      {"S -> a S b |", "g.cfg:1:6: the nonterminal 'a' has no rules; a terminal is quoted: 'a'"},
      {"S -> \xff", "g.cfg:1:6: "},
  };
  for (const auto& [text, refusal] : cases) {
    EXPECT_TRUE(GrammarRefusal(text).starts_with(refusal)) << text << "\n" << GrammarRefusal(text);
  }
}

TEST(GrammarText, NamesAByteOrderMark) {
  EXPECT_THAT(RefusalOf([] { ParseGrammar("\xEF\xBB\xBFS -> 'a'", "g.cfg"); }),
              HasSubstr("g.cfg:1:1: begins with a byte order mark"));
}

TEST(GrammarText, RefusesWhatIsTooLarge) {
  std::string text;
  for (std::size_t i = 0; i <= kMostGrammarRules; ++i) text += "S -> 'a'\n";
  EXPECT_EQ(GrammarRefusal(text), "g.cfg:2001:1: more than 2000 rules");
  text = "S ->";
  for (std::size_t i = 0; i <= kMostGrammarSymbols; ++i) text += " 'a'";
  EXPECT_EQ(GrammarRefusal(text), "g.cfg:1:80006: more than 20000 symbols in the rules");
}

}  // namespace
}  // namespace flare
