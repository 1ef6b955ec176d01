// NLTK as the judge: it must read our grammars, and derive the same strings.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "flare/base/file.h"
#include "flare/grammars/grammar.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"
#include "support/naive_grammar.h"
#include "support/random_automata.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

// Debian's own Python, which has Debian's packages.
constexpr const char* kPython = "/usr/bin/python3";

// Reads grammar i.cfg and strings i.txt for i below the argument; 1 or 0 per string.
constexpr const char* kJudge = R"(
import sys
from nltk import CFG
from nltk.parse.chart import BottomUpLeftCornerChartParser

for i in range(int(sys.argv[1])):
    grammar = CFG.fromstring(open(f"{i}.cfg").read())
    parser = BottomUpLeftCornerChartParser(grammar)
    for line in open(f"{i}.txt"):
        tokens = line.split()
        try:
            chart = parser.chart_parse(tokens)
        except ValueError:  # a token that the grammar does not have
            print(0)
            continue
        print(int(any(edge.is_complete() and edge.lhs() == grammar.start() and edge.start() == 0
                      and edge.end() == len(tokens) for edge in chart.edges())))
)";

TEST(Nltk, DerivesTheSameStrings) {
  if (RunShell(std::string(kPython) + " -c 'import nltk'").exit_code != 0) {
    GTEST_SKIP() << "python3-nltk is not installed";
  }
  constexpr std::size_t kGrammars = 40, kStrings = 60;
  const TemporaryDirectory directory;
  std::string expected;
  std::size_t i = 0;
  for (std::uint64_t seed = 0; i < kGrammars; ++seed) {
    Rng rng = Rng::For(seed, "nltk");
    // NLTK's PCFGs have weights everywhere; this is about strings.
    const std::string text =
        std::regex_replace(naive::RandomGrammarText(rng), std::regex("\\[[0-9.]+\\]"), "");
    const Grammar grammar = ParseGrammar(text, "g", {"a", "b"});
    if (naive::StringsOf(grammar, 4).empty()) continue;
    const NormalForm normal = Normalize(grammar, "g");
    const LeftCorners left_corners(normal, "g");
    const Recognizer recognizer(normal, left_corners);
    std::string strings;
    for (std::size_t k = 0; k < kStrings; ++k) {
      const String w = RandomString(rng.UniformInt(9), 2, rng);
      strings += grammar.alphabet.Format(w) + "\n";
      expected += recognizer.Accepts(w) ? "1\n" : "0\n";
    }
    WriteFileAtomically(directory.path() / (std::to_string(i) + ".cfg"), text);
    WriteFileAtomically(directory.path() / (std::to_string(i) + ".txt"), strings);
    ++i;
  }
  WriteFileAtomically(directory.path() / "judge.py", kJudge);
  const ShellResult judged =
      RunShell(std::string(kPython) + " judge.py " + std::to_string(kGrammars), directory.path());
  EXPECT_EQ(judged.exit_code, 0) << judged.output;
  EXPECT_EQ(judged.output, expected);
  EXPECT_THAT(expected, HasSubstr("1"));
}

// What NLTK reads as weights and start, we read.
TEST(Nltk, ReadsTheSameText) {
  if (RunShell(std::string(kPython) + " -c 'import nltk'").exit_code != 0) {
    GTEST_SKIP() << "python3-nltk is not installed";
  }
  const TemporaryDirectory directory;
  const std::string text =
      "# comment\n%start E\nT -> 'x' [0.5] | \"(\" E ')' [.25] | [0.25]\n"
      "E -> E '+' \\\n  T [0.25] | T [.75]\n";
  WriteFileAtomically(directory.path() / "g.cfg", text);
  WriteFileAtomically(directory.path() / "show.py",
                      "from nltk import PCFG\n"
                      "g = PCFG.fromstring(open('g.cfg').read())\n"
                      "print(g.start(), *(f'{p.lhs()} {len(p.rhs())} {p.prob()}' "
                      "for p in g.productions()), sep='; ')\n");
  const Grammar grammar = ParseGrammar(text, "g.cfg");
  std::string ours = grammar.nonterminals[grammar.start];
  for (const Grammar::Rule& rule : grammar.rules) {
    ours += "; " + grammar.nonterminals[rule.head] + " " + std::to_string(rule.body.size()) + " " +
            fmt::format("{}", rule.weight);
  }
  EXPECT_EQ(RunShell(std::string(kPython) + " show.py", directory.path()).output, ours + "\n");
}

}  // namespace
}  // namespace flare
