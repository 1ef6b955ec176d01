#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/operations.h"
#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/pdfa.h"
#include "flare/automata/paper/semirings.h"
#include "flare/automata/paper/wfa_operations.h"
#include "flare/base/error.h"
#include "support/member_counts.h"
#include "support/random_automata.h"

namespace flare {
namespace {

// Random weights small enough that all sums over paths converge.
Wfa<double> RandomRealWfa(std::uint64_t i, std::uint64_t salt) {
  Rng rng = Rng::For(salt, "wfa-test", i);
  const std::size_t n = 1 + rng.UniformInt(std::uint64_t{4});
  const Nfa nfa = RandomNfa(n, Letters(2), 3 * n, rng);
  Wfa<double> wfa(nfa.alphabet);
  for (const auto& state : nfa.states) {
    const StateId q = wfa.AddState(state.accept_weight ? rng.Uniform() : 0);
    for (const auto& t : state.transitions) {
      wfa.AddTransition(q, t.symbol, 0.5 * rng.Uniform() / static_cast<double>(3 * n), t.target);
    }
  }
  wfa.start = nfa.start;
  return wfa;
}

// Sums the weights of all paths of up to `steps` transitions that scan w, one by one.
double NaiveStringSum(const Wfa<double>& m, StateId q, StringView w, int steps) {
  double sum = w.empty() ? m.at(q).accept_weight : 0;
  if (steps == 0) return sum;
  for (const auto& t : m.at(q).transitions) {
    if (!t.symbol) {
      sum += t.weight * NaiveStringSum(m, t.target, w, steps - 1);
    } else if (!w.empty() && *t.symbol == w[0]) {
      sum += t.weight * NaiveStringSum(m, t.target, w.subspan(1), steps - 1);
    }
  }
  return sum;
}

TEST(StringSum, IsTheSumOverAllPaths) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Wfa<double> m = RandomRealWfa(i, 0);
    for (const String& w : AllStrings(2, 3)) {
      // A path longer than |w|+8 has at least 9 silent steps, each below 1/6.
      EXPECT_NEAR(StringSum(RealSemiring{}, m, w),
                  NaiveStringSum(m, m.start, w, static_cast<int>(w.size()) + 8), 1e-7);
    }
  }
}

TEST(Intersect, MultipliesStringSumsAlsoWhenBothAreSilent) {
  const RealSemiring s;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Wfa<double> a = RandomRealWfa(i, 0), b = RandomRealWfa(i, 1);
    const Wfa<double> product = Intersect(s, a, b);
    for (const String& w : AllStrings(2, 3)) {
      const double expected = StringSum(s, a, w) * StringSum(s, b, w);
      EXPECT_NEAR(StringSum(s, product, w), expected, 1e-12 * expected) << i;
    }
  }
}

TEST(Lehmann, InvertsTheIdentityMinusTheMatrix) {
  Rng rng = Rng::For(0, "lehmann");
  constexpr std::size_t kSize = 6;
  WeightMatrix<double> a(kSize, 0);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) a[i][j] = rng.Uniform() / kSize;
  }
  const auto star = Lehmann(RealSemiring{}, a);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      double sum = star[i][j];
      for (std::size_t k = 0; k < kSize; ++k) sum -= a[i][k] * star[k][j];
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12);
    }
  }
}

TEST(Backward, CountsStringsPerLength) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    Rng rng = Rng::For(0, "count", i);
    const Dfa dfa = RandomDfa(5, Letters(2), 0.7, rng);
    std::vector<mpz_class> counted(9, 0);
    for (const String& w : AllStrings(2, 8)) {
      if (dfa.Accepts(w)) ++counted[w.size()];
    }
    EXPECT_EQ(MemberCounts(dfa, 8), counted);
  }
}

TEST(Lift, IsTheIndicatorOfTheLanguage) {
  Rng rng = Rng::For(0, "lift");
  const Dfa dfa = RandomDfa(5, Letters(2), 0.8, rng);
  for (const String& w : AllStrings(2, 6)) {
    EXPECT_EQ(StringSum(BooleanSemiring{}, Lift(BooleanSemiring{}, dfa), w), dfa.Accepts(w));
    EXPECT_EQ(StringSum(TropicalSemiring{}, Lift(TropicalSemiring{}, dfa), w),
              dfa.Accepts(w) ? 0 : INFINITY);
  }
}

Wfa<double> Chain(double onward, double accept) {
  Wfa<double> m(Letters(1));
  m.start = m.AddState(1 - onward);
  const StateId q = m.AddState(accept);
  m.AddTransition(m.start, SymbolAt(0), onward, q);
  m.AddTransition(q, SymbolAt(0), 1 - accept, q);
  return m;
}

TEST(Pdfa, ChecksLocalNormalizationAndTightness) {
  EXPECT_TRUE(IsLocallyNormalized(Chain(0.5, 0.25)));
  EXPECT_TRUE(IsTight(Chain(0.5, 0.25)));
  // The second state is entered with probability 1/2 and never accepts: half of the mass is lost.
  EXPECT_TRUE(IsLocallyNormalized(Chain(0.5, 0)));
  EXPECT_FALSE(IsTight(Chain(0.5, 0)));
  // ... unless it is never entered.
  EXPECT_TRUE(IsTight(Chain(0, 0)));

  Wfa<double> leaky = Chain(0.5, 0.25);
  leaky.states[1].accept_weight = 0.2;
  EXPECT_FALSE(IsLocallyNormalized(leaky));
  leaky.states[1].accept_weight = NAN;
  EXPECT_FALSE(IsLocallyNormalized(leaky));
  leaky = Chain(0.5, 0.25);
  leaky.AddTransition(leaky.start, SymbolAt(0), 0, leaky.start);
  EXPECT_FALSE(IsDeterministic(leaky));
  EXPECT_THROW(Pdfa{leaky}, CheckError);
}

// Tightness by graph search agrees with what it stands for: an allsum of 1.
TEST(Pdfa, TightMeansThatProbabilitiesSumToOne) {
  int tight = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Rng rng = Rng::For(0, "tight", i);
    const Dfa dfa = RandomDfa(4, Letters(2), 0.6, rng);
    Wfa<double> m(dfa.alphabet());
    bool stuck = false;
    for (std::size_t q = 0; q < dfa.num_states(); ++q) {
      const auto transitions = dfa.TransitionsFrom(StateAt(q));
      const bool accepting = dfa.IsAccepting(StateAt(q));
      const auto k = static_cast<double>(transitions.size() + (accepting ? 1 : 0));
      stuck = stuck || k == 0;
      m.AddState(accepting ? 1 / k : 0);
      for (const auto& [a, r] : transitions) m.AddTransition(StateAt(q), a, 1 / k, r);
    }
    m.start = dfa.start();
    if (stuck) continue;
    ASSERT_TRUE(IsLocallyNormalized(m));
    const double allsum = Backward(RealSemiring{}, m)[Index(m.start)];
    // A rejecting state with a certain loop has star ∞, times an accept weight of 0.
    EXPECT_EQ(IsTight(m), std::abs(allsum - 1) < 1e-9) << i;
    if (IsTight(m)) ++tight;
  }
  EXPECT_GT(tight, 10);
}

TEST(Pdfa, UniformOverActionsDependsOnTheLanguageOnly) {
  // Two DFAs of (ab)*: one of two states, one of four.
  const auto loop = [](std::size_t pairs) {
    DfaBuilder b(Letters(2));
    for (std::size_t i = 0; i < 2 * pairs; ++i) b.AddState(i % 2 == 0);
    for (std::size_t i = 0; i < 2 * pairs; ++i) {
      b.AddTransition(StateAt(i), i % 2 == 0 ? "a" : "b", StateAt((i + 1) % (2 * pairs)));
    }
    return Pdfa::UniformOverActions(std::move(b).Build(StateAt(0)));
  };
  const Pdfa one = loop(1), two = loop(2);
  double sum = 0;
  for (const String& w : AllStrings(2, 8)) {
    EXPECT_EQ(one.Probability(w), two.Probability(w));
    sum += one.Probability(w);
  }
  EXPECT_DOUBLE_EQ(sum, 1 - std::pow(0.5, 5));  // ε, ab, ..., (ab)^4
}

}  // namespace
}  // namespace flare
