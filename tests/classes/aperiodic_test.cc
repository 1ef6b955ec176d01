// Star-freeness, R∘G and R∞ on pairs and tuples of states, compared with the syntactic monoid.

#include "flare/classes/aperiodic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/classes/classification.h"
#include "flare/classes/counting.h"
#include "flare/languages/small_languages.h"
#include "support/random_automata.h"
#include "support/witness_checker.h"

namespace flare {
namespace {

using classes::Algebra;
using classes::Element;
using classes::StarFreeAnswer;
using classes::SyntacticAutomaton;

// R∘G by its definition: no R-class has two idempotents.
bool HasOneIdempotentPerRClass(const Algebra& algebra) {
  std::vector<int> idempotents(algebra.green->r.size.size(), 0);
  for (Element x = 0; x < algebra.monoid.size(); ++x) {
    if (algebra.monoid.IsIdempotent(x)) ++idempotents[algebra.green->r.of[x]];
  }
  return std::all_of(idempotents.begin(), idempotents.end(), [](int n) { return n <= 1; });
}

// How the answers came about.
struct Tally {
  std::size_t languages = 0, by_pairs = 0, by_tuples = 0, circles = 0, r_infinity = 0;
  std::size_t longest_circle = 0;
};

// Compares what pairs and tuples say with the monoid, if that has at most so many elements.
void Compare(const Dfa& dfa, std::size_t most_elements, Tally& tally) {
  const SyntacticAutomaton automaton(dfa);
  const Algebra algebra(automaton, {.max_elements = most_elements});
  if (!algebra.monoid.complete()) return;
  ++tally.languages;
  const StarFreeAnswer answer = TestStarFreeOnTuples(automaton);
  ASSERT_EQ(answer.property.holds, TestStarFree(algebra).holds);
  WitnessChecker checker(Minimize(dfa));
  ASSERT_TRUE(checker.Check("star_free", answer.property));
  if (answer.proof) {
    ASSERT_EQ(answer.property.holds, true);
    ASSERT_TRUE(CheckRankedPairs(dfa, *answer.proof));
    ++tally.by_pairs;
  } else if (*answer.property.holds) {
    ++tally.by_tuples;
  } else {
    ++tally.circles;
    tally.longest_circle =
        std::max(tally.longest_circle, answer.property.witness->moves.size() - 2);
  }
  const classes::Property r_g = TestRG(automaton);
  ASSERT_TRUE(checker.Check("r_g", r_g));
  ASSERT_EQ(r_g.holds, HasOneIdempotentPerRClass(algebra));
  const classes::Property r_infinity = RInfinity(r_g, answer.property);
  ASSERT_EQ(r_infinity.holds, *r_g.holds && *answer.property.holds);
  ASSERT_TRUE(checker.Check("r_infinity", r_infinity));
  tally.r_infinity += *r_infinity.holds ? 1 : 0;
}

TEST(StarFreeOnTuples, AgreesWithTheMonoidOnEverySmallLanguage) {
  Tally tally;
  for (std::size_t states = 1; states <= 3; ++states) {
    for (std::size_t i = 1; i <= CountSmallLanguages(states); ++i) {
      const Dfa dfa = MakeSmallDfa({states, i});
      if (IsEmpty(dfa)) continue;
      const SmallLanguage language{states, i};
      SCOPED_TRACE(language.Text());
      ASSERT_NO_FATAL_FAILURE(Compare(dfa, 1'000, tally));
    }
  }
  EXPECT_EQ(tally.languages, 1'053u);
  for (const SmallLanguage& language : SmallRepresentatives(4)) {
    SCOPED_TRACE(language.Text());
    ASSERT_NO_FATAL_FAILURE(Compare(MakeSmallDfa(language), 1'000, tally));
  }
  EXPECT_EQ(tally.languages, 1'053u + 14'050u);
  RecordProperty("by_pairs", static_cast<int>(tally.by_pairs));
  RecordProperty("by_tuples", static_cast<int>(tally.by_tuples));
}

TEST(StarFreeOnTuples, AgreesWithTheMonoidOnRandomAutomata) {
  Tally tally;
  for (std::uint64_t i = 0; i < 6'000; ++i) {
    Rng rng = Rng::For(42, "circles", i);
    const Dfa dfa = Minimize(RandomDfa(2 + rng.UniformInt(std::uint64_t{6}),
                                       Letters(2 + rng.UniformInt(std::uint64_t{2})),
                                       0.3 + 0.5 * rng.Uniform(), rng));
    if (IsEmpty(dfa)) continue;
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(Compare(dfa, 5'000, tally));
  }
  EXPECT_GT(tally.languages, 3'000u);
  EXPECT_GT(tally.by_pairs, 1'000u);
  EXPECT_GT(tally.circles, 300u);
}

// Partial permutations of the states: they are all in R∘G, and deciding whether they are star-free
// is as hard as it ever is.
Dfa RandomInverseAutomaton(std::uint64_t i) {
  Rng rng = Rng::For(43, "inverse", i);
  const std::size_t n = 5 + rng.UniformInt(std::uint64_t{3});
  DfaBuilder builder(Letters(3));
  for (std::size_t q = 0; q < n; ++q) builder.AddState(q == 0);
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<std::size_t> to(n);
    std::iota(to.begin(), to.end(), std::size_t{0});
    for (std::size_t q = n - 1; q > 0; --q) {
      std::swap(to[q], to[rng.UniformInt(static_cast<std::uint64_t>(q + 1))]);
    }
    for (std::size_t q = 0; q < n; ++q) {
      if (rng.Uniform() < 0.5) builder.AddTransition(StateAt(q), SymbolAt(a), StateAt(to[q]));
    }
  }
  return Minimize(std::move(builder).Build(StateAt(0)));
}

TEST(StarFreeOnTuples, AgreesWithTheMonoidOnInverseAutomata) {
  Tally tally;
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    const Dfa dfa = RandomInverseAutomaton(i);
    if (dfa.num_states() < 3) continue;
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(Compare(dfa, 5'000, tally));
  }
  EXPECT_GT(tally.languages, 1'000u);
  EXPECT_GT(tally.circles, 300u);
  EXPECT_GE(tally.longest_circle, 5u);
  EXPECT_GE(tally.by_tuples, 1u);  // pairs leave few open
  EXPECT_GT(tally.r_infinity, 300u);
}

// What is in C-RASP is decided by pairs.
TEST(StarFreeOnTuples, PairsAreEnoughForCounting) {
  std::size_t members = 0;
  for (const SmallLanguage& language : SmallRepresentatives(3)) {
    const SyntacticAutomaton automaton(MakeSmallDfa(language));
    if (TestCounting(automaton).property.holds != true) continue;
    ++members;
    EXPECT_TRUE(TestStarFreeOnTuples(automaton).proof) << language.Text();
  }
  EXPECT_GT(members, 15u);
  for (const char* pattern : {"(a(ab)*b)*", "(a|cab)*", "(abc|bca|cab)*", "(a(a(ab)*b)*b)*"}) {
    EXPECT_TRUE(TestStarFreeOnTuples(SyntacticAutomaton(CompileRegex(pattern))).proof) << pattern;
  }
}

// The checker is no rubber stamp: a rank or a level that is wrong is noticed.
TEST(StarFreeOnTuples, AProofWithAWrongNumberIsRefused) {
  const Dfa dfa = CompileRegex("(a(ab)*b)*");
  const auto answer = TestStarFreeOnTuples(SyntacticAutomaton(dfa));
  ASSERT_TRUE(answer.proof);
  ASSERT_TRUE(CheckRankedPairs(dfa, *answer.proof));
  std::size_t refused = 0, pairs = 0;
  for (std::size_t i = 0; i < answer.proof->pairs.size(); ++i) {
    if (answer.proof->pairs[i].level == classes::RankedPairs::kNone) continue;
    ++pairs;
    classes::RankedPairs wrong = *answer.proof;
    std::swap(wrong.pairs[i].rank_of_s, wrong.pairs[i].rank_of_t);
    refused += CheckRankedPairs(dfa, wrong) ? 0 : 1;
  }
  EXPECT_GT(pairs, 0u);
  EXPECT_EQ(refused, pairs);
}

// Every letter turns a circle of n states by one and loses one of them. So pairs go round the whole
// circle, by different letters, and n states never do: only n-tuples show that this is star-free.
TEST(StarFreeOnTuples, PairsMayLeaveOpenWhatTuplesDecide) {
  for (const std::size_t n : {3, 5, 7}) {
    DfaBuilder builder(Letters(n));
    for (std::size_t q = 0; q < n; ++q) builder.AddState(q == 0);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t q = 0; q < n; ++q) {
        if (q != a) builder.AddTransition(StateAt(q), SymbolAt(a), StateAt((q + 1) % n));
      }
    }
    Tally tally;
    SCOPED_TRACE(n);
    ASSERT_NO_FATAL_FAILURE(Compare(std::move(builder).Build(StateAt(0)), 100'000, tally));
    EXPECT_EQ(tally.by_tuples, 1u);
    EXPECT_EQ(tally.r_infinity, 1u);
  }
}

// A cyclic shift of eleven states: no pair is exchanged, so only tuples of eleven show the circle.
TEST(StarFreeOnTuples, FindsALongCircle) {
  const Dfa dfa = CompileRegex("(a{11})*");
  const auto answer = TestStarFreeOnTuples(SyntacticAutomaton(dfa));
  EXPECT_EQ(answer.property.holds, false);
  EXPECT_EQ(answer.property.witness->moves.size(), 13u);
  EXPECT_TRUE(WitnessChecker(dfa).Check("star_free", answer.property));
}

// One look at every letter and state decides R∘G, so that a large automaton is no obstacle. A
// letter that goes round twenty thousand states permutes them; one more edge merges two of them.
TEST(RComposedWithGroups, IsDecidedForLargeAutomata) {
  constexpr std::size_t kStates = 20'000;
  for (const bool merges : {false, true}) {
    DfaBuilder builder(Letters(2));
    for (std::size_t q = 0; q < kStates; ++q) builder.AddState(q == 0);
    for (std::size_t q = 0; q < kStates; ++q) {
      builder.AddTransition(StateAt(q), SymbolAt(0), StateAt((q + 1) % kStates));
    }
    builder.AddTransition(StateAt(0), SymbolAt(1), StateAt(0));
    if (merges) builder.AddTransition(StateAt(1), SymbolAt(1), StateAt(0));
    const Dfa dfa = std::move(builder).Build(StateAt(0));
    const classes::Property r_g = TestRG(SyntacticAutomaton(dfa));
    EXPECT_EQ(r_g.holds, !merges);
    if (merges) EXPECT_TRUE(WitnessChecker(dfa).Check("r_g", r_g));
  }
}

// Where the monoid is too large, star-freeness and R∞ are known all the same.
TEST(StarFreeOnTuples, NeedsNoMonoid) {
  const auto c = classes::Classify(CompileRegex("(a(ab)*b|c)*cc(a(ab)*b|c)*"), {.max_elements = 2});
  EXPECT_FALSE(c.monoid.limit.empty());
  EXPECT_EQ(c.At("star_free").holds, true);
  EXPECT_EQ(c.At("star_free").limit, "");
  EXPECT_TRUE(c.At("r_infinity").holds.has_value());
  EXPECT_EQ(c.circuit_class, classes::CircuitClass::kAC0);
}

}  // namespace
}  // namespace flare
