#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/extraction/difference.h"
#include "flare/grammars/grammar.h"
#include "support/naive_grammar.h"
#include "support/prepared_grammar.h"
#include "support/random_automata.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

LanguageDifference Compare(const Prepared& g, const Dfa& claim, std::size_t longest) {
  return CompareWithGrammar(g.normal, g.recognizer, claim, longest);
}

TEST(GrammarDifference, IsWhatEnumerationFinds) {
  constexpr std::size_t kLongest = 6;
  std::size_t grammars = 0, wrong = 0, inner = 0;
  for (const std::string& text : RandomGrammars(1'500)) {
    const Prepared g(text);
    if (!IsLr1(g.grammar)) continue;
    Rng rng = Rng::For(5, "grammar-difference", grammars++);
    const Dfa claim = RandomDfa(1 + rng.UniformInt(4), Letters(2), 0.9, rng);
    const LanguageDifference difference = Compare(g, claim, kLongest);
    ASSERT_EQ(difference.by_length.size(), kLongest + 1);
    EXPECT_EQ(difference.known_up_to, kLongest);
    const auto members = naive::StringsOf(g.grammar, kLongest);
    struct Expected {
      double members = 0, non_members = 0, rejected = 0, accepted = 0, weight = 0,
             rejected_weight = 0;
    };
    std::vector<Expected> expected(kLongest + 1);
    std::optional<String> first_rejected, first_accepted;
    for (const String& w : AllStrings(2, kLongest)) {
      const bool in = members.contains(w), claimed = claim.Accepts(w);
      Expected& row = expected[w.size()];
      ++(in ? row.members : row.non_members);
      if (in) row.weight += g.Weight(w);
      if (in && !claimed) {
        ++row.rejected;
        row.rejected_weight += g.Weight(w);
        if (!first_rejected) first_rejected = w;
      }
      if (!in && claimed) {
        ++row.accepted;
        if (!first_accepted) first_accepted = w;
      }
    }
    EXPECT_EQ(difference.first_wrongly_rejected, first_rejected) << text;
    EXPECT_EQ(difference.first_wrongly_accepted, first_accepted) << text;
    for (const LengthDifference& row : difference.by_length) {
      const Expected& e = expected[row.length];
      ASSERT_EQ(row.members.ToDouble(), e.members) << text << row.length;
      ASSERT_EQ(row.non_members.ToDouble(), e.non_members) << text << row.length;
      ASSERT_EQ(row.wrongly_rejected.ToDouble(), e.rejected) << text << row.length;
      ASSERT_EQ(row.wrongly_accepted.ToDouble(), e.accepted) << text << row.length;
      ASSERT_EQ(row.rejects_by_paper.has_value(), e.members > 0);
      if (e.members > 0) {
        EXPECT_NEAR(*row.rejects_by_paper, e.rejected_weight / e.weight, 1e-9) << text;
      }
      wrong += e.rejected + e.accepted > 0 ? 1 : 0;
    }
    for (const NormalForm::Body& body : g.normal.bodies) {
      inner += !g.normal.IsTerminal(body.left) && !g.normal.IsTerminal(body.right) ? 1 : 0;
    }
  }
  EXPECT_GT(grammars, 60u);
  EXPECT_GT(wrong, 100u);
  EXPECT_GT(inner, 20u);
}

TEST(GrammarDifference, RightLinearGrammarDiffersAsItsAutomaton) {
  constexpr std::size_t kLongest = 80;
  for (std::uint64_t i = 0; i < 40; ++i) {
    Rng rng = Rng::For(6, "grammar-difference", i);
    const Dfa target = Minimize(RandomDfa(1 + i % 6, Letters(2), 0.8, rng));
    if (IsEmpty(target)) continue;
    const Dfa claim = RandomDfa(1 + i % 4, Letters(2), 0.9, rng);
    const LanguageDifference by_grammar = Compare(Prepared(RightLinear(target)), claim, kLongest);
    const LanguageDifference regular = CompareLanguages(target, claim, kLongest);
    EXPECT_EQ(by_grammar.first_wrongly_rejected, regular.first_wrongly_rejected);
    EXPECT_EQ(by_grammar.first_wrongly_accepted, regular.first_wrongly_accepted);
    for (std::size_t n = 0; n <= kLongest; ++n) {
      const LengthDifference &a = by_grammar.by_length[n], &b = regular.by_length[n];
      ASSERT_EQ(a.wrongly_accepted.IsZero(), b.wrongly_accepted.IsZero());
      ASSERT_NEAR(a.wrongly_accepted.ToDouble() / (1 + b.wrongly_accepted.ToDouble()),
                  b.wrongly_accepted.ToDouble() / (1 + b.wrongly_accepted.ToDouble()), 1e-12);
      ASSERT_NEAR(a.wrongly_rejected.ToDouble() / (1 + b.wrongly_rejected.ToDouble()),
                  b.wrongly_rejected.ToDouble() / (1 + b.wrongly_rejected.ToDouble()), 1e-12);
      ASSERT_NEAR(a.rejects_by_paper.value_or(2), b.rejects_by_paper.value_or(2), 1e-9);
      ASSERT_NEAR(a.accepts_uniformly.value_or(2), b.accepts_uniformly.value_or(2), 1e-12);
    }
  }
}

// aⁿbⁿ against a*b*: of n + 1 strings of an even length n one is right.
TEST(GrammarDifference, AnBnHasAClosedForm) {
  const LanguageDifference difference =
      Compare(Prepared("S -> 'a' S 'b' | "), CompileRegex("a*b*"), 500);
  EXPECT_EQ(difference.known_up_to, 500);
  EXPECT_FALSE(difference.first_wrongly_rejected);
  EXPECT_EQ(difference.first_wrongly_accepted, String{SymbolAt(0)});
  for (const LengthDifference& row : difference.by_length) {
    const double right = row.length % 2 == 0 ? 1 : 0;
    EXPECT_EQ(row.members.ToDouble(), right);
    EXPECT_EQ(row.wrongly_accepted.ToDouble(), static_cast<double>(row.length) + 1 - right);
  }
}

// One pair of brackets, against depth at most 3: all balanced strings that go deeper are wrongly
// rejected; nothing is accepted that is not balanced, although both numbers are beyond 2^53 and
// nearly equal.
TEST(GrammarDifference, BracketsSufferNoCancellation) {
  const Prepared brackets("S -> 'a' S 'b' S | ");
  const LanguageDifference difference = Compare(brackets, CompileRegex("(a(a(ab)*b)*b)*"), 200);
  EXPECT_FALSE(difference.first_wrongly_accepted);
  EXPECT_EQ(brackets.grammar.alphabet.Format(*difference.first_wrongly_rejected),
            "a a a a b b b b");
  std::vector<double> catalan = {1};
  for (std::size_t n = 0; n < 20; ++n) {
    double next = 0;
    for (std::size_t k = 0; k <= n; ++k) next += catalan[k] * catalan[n - k];
    catalan.push_back(next);
  }
  for (std::size_t n = 0; n <= 20; ++n) {
    EXPECT_EQ(difference.by_length[2 * n].members.ToDouble(), catalan[n]);
  }
  for (const LengthDifference& row : difference.by_length) {
    EXPECT_TRUE(row.wrongly_accepted.IsZero()) << row.length;
  }
  EXPECT_GT(*difference.by_length[200].rejects_uniformly, 0.999);
}

// Larger products go less far, and say so.
TEST(GrammarDifference, LargeClaimIsComparedOnShortStrings) {
  const Prepared brackets("S -> 'a' S 'b' S | ");
  Rng rng = Rng::For(7, "grammar-difference");
  const LanguageDifference difference = Compare(brackets, RandomDfa(60, Letters(2), 1, rng), 500);
  ASSERT_TRUE(difference.known_up_to);
  EXPECT_LT(*difference.known_up_to, 500u);
  EXPECT_GE(*difference.known_up_to, 20u);
  EXPECT_EQ(difference.by_length.size(), *difference.known_up_to + 1);
  EXPECT_THAT(RefusalOf([&] { Compare(brackets, RandomDfa(499, Letters(2), 1, rng), 500); }),
              HasSubstr("too"));
}

}  // namespace
}  // namespace flare
