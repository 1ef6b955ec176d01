// Everything that is computed from a grammar, against its definition on random grammars, and
// against the regular path where the grammar is right-linear.

#include "flare/grammars/grammar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "flare/automata/length_sampler.h"
#include "flare/automata/matching.h"
#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/grammars/derivation_sampler.h"
#include "flare/grammars/grammar_edit_distance.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"
#include "support/chi_square.h"
#include "support/member_counts.h"
#include "support/naive_grammar.h"
#include "support/prepared_grammar.h"
#include "support/random_automata.h"
#include "support/refusal.h"

namespace flare {
namespace {

TEST(Recognizer, AcceptsExactlyWhatTheGrammarDerives) {
  std::size_t members = 0;
  for (const std::string& text : RandomGrammars(400)) {
    const Prepared g(text);
    const auto expected = naive::StringsOf(g.grammar, 6);
    for (const String& w : AllStrings(2, 6)) {
      ASSERT_EQ(g.recognizer.Accepts(w), expected.contains(w))
          << text << g.grammar.alphabet.Format(w);
    }
    members += expected.size();
  }
  EXPECT_GT(members, 5'000u);
}

TEST(Recognizer, OffersExactlyWhatSomeMemberHasNext) {
  constexpr std::size_t kLongest = 5;
  std::size_t checked = 0;
  for (const std::string& text : RandomGrammars(200)) {
    const Prepared g(text);
    std::map<String, std::set<std::size_t>> next;  // by prefix; 2 is EOS
    for (const String& w : naive::PrefixesOf(g.grammar, kLongest + 1)) {
      for (std::size_t t = 0; t < w.size(); ++t) {
        next[String(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(t))].insert(Index(w[t]));
      }
      if (w.size() <= kLongest) next[w].insert(2);
    }
    NextSymbolSets sets(2);
    for (const String& w : naive::StringsOf(g.grammar, kLongest)) {
      g.recognizer.NextSymbols(w, sets);
      ASSERT_EQ(sets.size(), w.size() + 1);
      for (std::size_t t = 0; t <= w.size(); ++t) {
        std::set<std::size_t> offered;
        for (std::size_t a = 0; a < 2; ++a) {
          if (sets.Contains(t, SymbolAt(a))) offered.insert(a);
        }
        if (sets.ContainsEos(t)) offered.insert(2);
        const String prefix(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(t));
        ASSERT_EQ(offered, next.at(prefix)) << text << g.grammar.alphabet.Format(w) << " " << t;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 5'000u);
}

TEST(NormalForm, KeepsTheWeightOfEveryString) {
  std::size_t checked = 0;
  double worst = 0;
  for (const std::string& text : RandomGrammars(60)) {
    const Prepared g(text);
    const auto before = naive::WeightsOf(g.grammar, 4, 300);
    const auto after = naive::WeightsOf(g.grammar, 4, 600);
    for (const auto& [w, weight] : after) {
      // Some sums converge too slowly to be their own oracle.
      if (std::abs(weight - before.at(w)) > 1e-13 * weight) continue;
      worst = std::max(worst, std::abs(g.Weight(w) / weight - 1));
      ++checked;
    }
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_GT(checked, 100u);
}

TEST(NormalForm, RefusesWhatHasNoStringsOrNoWeights) {
  const auto refusal = [](const std::string& text) { return RefusalOf([&] { Prepared{text}; }); };
  EXPECT_EQ(refusal("S -> S 'a' | T\nT -> T T"),
            "g: the language is empty: no string can be derived from S");
  EXPECT_EQ(refusal("S -> S [1] | 'a' [0.0000005]"),
            "g: the weights of its unit rules, or of what derives ε, add up to infinity along a "
            "cycle");
  std::string chain = "A0 -> A1 [1e-10] | 'a' [0.9999999999]\n";
  for (int i = 1; i < 40; ++i) {
    chain += fmt::format("A{} -> A{} [1e-10] | 'a' 'a' [0.9999999999]\n", i, i + 1);
  }
  EXPECT_TRUE(refusal(chain + "A40 -> 'b'\n").starts_with("g: its weights are too small"));
  // 200 heads with 200 terminals each, all from one chain of unit rules.
  std::string large;
  for (int i = 0; i < 200; ++i) {
    large += fmt::format("A{} -> A{} | 'x{}' A{} | A{} A0\n", i, (i + 1) % 200, i, i, i);
  }
  EXPECT_TRUE(refusal(large + "A0 -> 'a'\n").starts_with("g: the grammar is too large"))
      << refusal(large + "A0 -> 'a'\n");
}

TEST(DerivationSampler, CountsDerivationsOfEveryLength) {
  for (const std::string& text : RandomGrammars(100)) {
    const Prepared g(text);
    const DerivationSampler counts(g.normal, RuleWeights::kOne, 6);
    const DerivationSampler weights(g.normal, RuleWeights::kGiven, 6);
    std::vector<double> derivations(7, 0), sums(7, 0);
    for (const String& w : AllStrings(2, 6)) {
      derivations[w.size()] += g.Derivations(w);
      sums[w.size()] += g.Weight(w);
    }
    for (std::size_t n = 0; n <= 6; ++n) {
      EXPECT_EQ(counts.Total(n).ToDouble(), derivations[n]) << text << n;
      EXPECT_NEAR(weights.Total(n).ToDouble(), sums[n], 1e-12 * sums[n]) << text << n;
    }
  }
}

TEST(DerivationSampler, DrawsByTheGivenWeights) {
  const Prepared g("S -> S S [0.4] | 'a' S 'b' [0.2] | [0.1] | T [0.3]\nT -> 'b' | 'a' T");
  const DerivationSampler sampler(g.normal, RuleWeights::kGiven, 5);
  std::map<String, std::size_t> drawn;
  constexpr std::size_t kDraws = 100'000;
  String w;
  for (std::size_t i = 0; i < kDraws; ++i) {
    Rng rng = Rng::For(0, "derivations", i);
    sampler.Sample(5, rng, w);
    ++drawn[w];
  }
  std::vector<std::size_t> observed;
  std::vector<double> expected;
  for (const String& u : AllStrings(2, 5)) {
    if (u.size() != 5 || g.Weight(u) == 0) continue;
    observed.push_back(drawn[u]);
    expected.push_back(kDraws * g.Weight(u) / sampler.Total(5).ToDouble());
  }
  EXPECT_GT(observed.size(), 10u);
  EXPECT_GT(ChiSquarePValue(observed, expected), kAlpha);
}

TEST(DerivationSampler, RefusesTablesThatTakeTooLong) {
  const Prepared g("S -> 'a' S 'b' |");
  EXPECT_TRUE(RefusalOf([&] {
                DerivationSampler(g.normal, RuleWeights::kOne, 100'000);
              }).starts_with("sampling tables for"));
}

TEST(GrammarEditDistance, IsThatOfTheNearestMember) {
  std::size_t checked = 0;
  for (const std::string& text : RandomGrammars(120)) {
    const Prepared g(text);
    const auto members = naive::StringsOf(g.grammar, 7);
    for (const String& w : AllStrings(2, 4)) {
      std::size_t least = 100;
      for (const String& v : members) least = std::min(least, naive::Levenshtein(w, v));
      if (least > 7 - w.size()) continue;  // a longer member may be as near
      ASSERT_EQ(EditDistance(g.normal, w), least) << text << g.grammar.alphabet.Format(w);
      ++checked;
    }
  }
  EXPECT_GT(checked, 1'000u);
}

TEST(RightLinearGrammars, AgreeWithTheRegularPath) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng = Rng::For(seed, "right-linear");
    const Dfa dfa = Minimize(RandomDfa(1 + rng.UniformInt(6), Letters(2), 0.7, rng));
    if (IsEmpty(dfa)) continue;
    const Prepared g(RightLinear(dfa));
    const LengthSampler regular(dfa, Distribution::kPaper, 60);
    const DerivationSampler sampler(g.normal, RuleWeights::kGiven, 60);
    const DerivationSampler counts(g.normal, RuleWeights::kOne, 60);
    const auto expected_counts = MemberCounts(dfa, 60);
    for (std::size_t n = 0; n <= 60; ++n) {
      ASSERT_EQ(counts.Total(n).ToDouble(), expected_counts[n].get_d()) << n;
      ASSERT_EQ(sampler.HasLength(n), regular.HasLength(n));
    }
    EXPECT_TRUE(IsLr1(g.grammar));
    const NextSymbolSets next_of = ComputeNext(dfa);
    NextSymbolSets sets(2);
    for (std::size_t draw = 0; draw < 60; ++draw) {
      String w = RandomString(rng.UniformInt(20), 2, rng);
      if (const std::size_t n = 1 + rng.UniformInt(60); draw % 2 == 0 && regular.HasLength(n)) {
        sampler.Sample(n, rng, w);
        ASSERT_TRUE(dfa.Accepts(w));
      }
      ASSERT_EQ(g.recognizer.Accepts(w), dfa.Accepts(w));
      ASSERT_EQ(EditDistance(g.normal, w), EditDistance(dfa, w)) << dfa.alphabet().Format(w);
      if (!dfa.Accepts(w)) continue;
      const double log_p =
          (InsideWeight(g.normal, g.left_corners, w, RuleWeights::kGiven) / sampler.Total(w.size()))
              .Log();
      ASSERT_NEAR(log_p, regular.LogProbability(w), 1e-11 * static_cast<double>(w.size() + 1));
      g.recognizer.NextSymbols(w, sets);
      StateId q = dfa.start();
      for (std::size_t t = 0; t <= w.size(); ++t) {
        ASSERT_TRUE(std::ranges::equal(sets.Words(t), next_of.Words(Index(q))));
        if (t < w.size()) q = *dfa.Next(q, w[t]);
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 500u);
}

TEST(Lr1, CertifiesDeterministicGrammarsAndNoOthers) {
  const auto is_lr1 = [](const std::string& text) { return IsLr1(ParseGrammar(text, "g")); };
  EXPECT_TRUE(is_lr1("S -> 'a' S 'b' |"));
  EXPECT_TRUE(is_lr1("S -> '(' S ')' S |"));
  EXPECT_TRUE(is_lr1("E -> E '+' T | T\nT -> T '*' F | F\nF -> '(' E ')' | 'x'"));
  EXPECT_TRUE(is_lr1("S -> 'a' S 'a' | 'b' S 'b' | '#'"));
  // LR(1), not LALR(1).
  EXPECT_TRUE(is_lr1("S -> 'a' A 'd' | 'b' B 'd' | 'a' B 'e' | 'b' A 'e'\nA -> 'c'\nB -> 'c'"));
  // Even palindromes are unambiguous, not deterministic.
  EXPECT_FALSE(is_lr1("S -> 'a' S 'a' | 'b' S 'b' |"));
  EXPECT_FALSE(is_lr1("E -> E '+' E | 'x'"));
  EXPECT_FALSE(is_lr1("S -> S S | 'a' |"));
  EXPECT_FALSE(is_lr1("S -> A | B\nA -> 'a'\nB -> 'a'"));
  // Useless rules do not matter.
  EXPECT_TRUE(is_lr1("S -> 'a' S | 'b' | S U\nU -> U U\nV -> V V | 'a'"));
}

// A certificate that is wrong would make `uniform` not uniform.
TEST(Lr1, NeverCertifiesAnAmbiguousGrammar) {
  std::size_t certified = 0;
  for (const std::string& text : RandomGrammars(400)) {
    const Prepared g(text);
    if (!IsLr1(g.grammar)) continue;
    ++certified;
    for (const String& w : AllStrings(2, 6)) {
      ASSERT_LE(g.Derivations(w), 1) << text << g.grammar.alphabet.Format(w);
    }
  }
  EXPECT_GT(certified, 20u);
}

}  // namespace
}  // namespace flare
