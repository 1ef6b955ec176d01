#include "flare/automata/dfa.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/matching.h"
#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "support/random_automata.h"

namespace flare {
namespace {

constexpr int kMachines = 300;

// Random machines of mixed size and density; some are empty, some complete.
Dfa Machine(int i, std::uint64_t salt = 0) {
  Rng rng = Rng::For(salt, "dfa-test", static_cast<std::uint64_t>(i));
  const std::size_t states = 1 + rng.UniformInt(std::uint64_t{8});
  const double density = 0.2 + 0.8 * rng.Uniform();
  return RandomDfa(states, Letters(2), density, rng);
}

// By Moore's table filling on the completed automaton: how many states the minimal complete DFA of
// a trim one needs, its sink not counted.
std::size_t NaiveMinimalSize(const Dfa& trim) {
  if (IsEmpty(trim)) return 1;
  Effort effort("test");
  const Dfa c = Complete(trim, effort);
  const std::size_t n = c.num_states();
  std::vector<std::vector<bool>> distinct(n, std::vector<bool>(n, false));
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q < n; ++q) {
      distinct[p][q] = c.IsAccepting(StateAt(p)) != c.IsAccepting(StateAt(q));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q < n; ++q) {
        for (std::size_t a = 0; a < c.alphabet().size() && !distinct[p][q]; ++a) {
          const auto r = Index(*c.Next(StateAt(p), SymbolAt(a)));
          const auto s = Index(*c.Next(StateAt(q), SymbolAt(a)));
          if (distinct[r][s]) distinct[p][q] = changed = true;
        }
      }
    }
  }
  std::set<std::vector<bool>> classes;
  for (std::size_t p = 0; p < trim.num_states(); ++p) classes.insert(distinct[p]);
  return classes.size();
}

TEST(Dfa, BuilderRefusesNondeterminism) {
  DfaBuilder b(Letters(1));
  const StateId q = b.AddState(true);
  b.AddTransition(q, "a", q);
  b.AddTransition(q, "a", q);
  EXPECT_THROW((void)std::move(b).Build(q), CheckError);
}

TEST(Matcher, AgreesWithTheDefinition) {
  const auto strings = AllStrings(2, 7);
  for (int i = 0; i < kMachines; ++i) {
    const Dfa dfa = Machine(i);
    const Matcher matcher(dfa);
    for (const String& w : strings) ASSERT_EQ(matcher.Accepts(w), dfa.Accepts(w)) << i;
  }
}

TEST(Matcher, RunsAutomataThatAreTooLargeForATable) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("s" + std::to_string(i));
  DfaBuilder b{Alphabet(names)};
  std::vector<StateId> chain;
  for (int i = 0; i < 4000; ++i) chain.push_back(b.AddState(i == 3999));
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    b.AddTransition(chain[i], SymbolAt(i), chain[i + 1]);
  }
  const Matcher matcher(std::move(b).Build(chain[0]));
  String w;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) w.push_back(SymbolAt(i));
  EXPECT_TRUE(matcher.Accepts(w));
  std::swap(w[0], w[1]);
  EXPECT_FALSE(matcher.Accepts(w));
}

TEST(Trim, KeepsTheLanguageAndOnlyUsefulStates) {
  for (int i = 0; i < kMachines; ++i) {
    const Dfa dfa = Machine(i);
    const Dfa trim = Trim(dfa);
    EXPECT_EQ(ShortestDifference(dfa, trim), std::nullopt);
    EXPECT_EQ(Trim(trim), trim);
    if (IsEmpty(dfa)) {
      EXPECT_EQ(trim.num_states(), 1u);
      EXPECT_EQ(trim.num_transitions(), 0u);
      continue;
    }
    const auto useful = Coaccessible(trim);
    for (std::size_t q = 0; q < trim.num_states(); ++q) EXPECT_TRUE(useful[q]);
  }
}

TEST(Minimize, GivesTheSmallestDfaOfTheLanguage) {
  for (int i = 0; i < kMachines; ++i) {
    const Dfa dfa = Machine(i);
    const Dfa minimal = Minimize(dfa);
    ASSERT_EQ(ShortestDifference(dfa, minimal), std::nullopt) << i;
    ASSERT_EQ(minimal.num_states(), NaiveMinimalSize(Trim(dfa))) << i;
  }
}

TEST(Minimize, IsCanonical) {
  for (int i = 0; i < kMachines; ++i) {
    const Dfa dfa = Machine(i);
    // The same language by another way.
    Effort effort("test");
    EXPECT_EQ(Minimize(Complement(Complement(dfa, effort), effort)), Minimize(dfa)) << i;
  }
}

// Partition refinement moves the smaller part: a chain is the case that is quadratic otherwise.
TEST(Minimize, HandlesLongChains) {
  constexpr std::size_t kLength = 100000;
  DfaBuilder b(Letters(2));
  for (std::size_t i = 0; i <= kLength; ++i) b.AddState(i == kLength);
  for (std::size_t i = 0; i < kLength; ++i) {
    b.AddTransition(StateAt(i), "a", StateAt(i + 1));
    b.AddTransition(StateAt(i), "b", StateAt(i + 1));
  }
  EXPECT_EQ(Minimize(std::move(b).Build(StateAt(0))).num_states(), kLength + 1);
}

TEST(BooleanOperations, AgreeWithLogicOnEveryString) {
  const auto strings = AllStrings(2, 7);
  for (int i = 0; i < kMachines; ++i) {
    const Dfa a = Machine(i), b = Machine(i, 1);
    Effort effort("test");
    const Dfa complete = Complete(a, effort), complement = Complement(a, effort),
              both = Intersect(a, b, effort);
    EXPECT_EQ(complete.num_transitions(), complete.num_states() * 2);
    for (const String& w : strings) {
      ASSERT_EQ(complete.Accepts(w), a.Accepts(w)) << i;
      ASSERT_EQ(complement.Accepts(w), !a.Accepts(w)) << i;
      ASSERT_EQ(both.Accepts(w), a.Accepts(w) && b.Accepts(w)) << i;
    }
  }
}

TEST(BooleanOperations, RefuseAComplementThatWouldNotFit) {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back("s" + std::to_string(i));
  DfaBuilder chain{Alphabet(names)};
  StateId last = chain.AddState(false);
  const StateId start = last;
  for (int i = 0; i < 2'000; ++i) {
    const StateId next = chain.AddState(i == 1'999);
    chain.AddTransition(last, SymbolAt(0), next);
    last = next;
  }
  try {
    Effort effort("here");
    Complement(std::move(chain).Build(start), effort);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "here: its automaton is too large: over 5000000 states and transitions");
  }
}

TEST(ShortestDifference, IsTheFirstStringThatTells) {
  const auto strings = AllStrings(2, 10);
  for (int i = 0; i < kMachines; ++i) {
    const Dfa a = Machine(i), b = Machine(i, 1);
    std::optional<String> first;
    for (const String& w : strings) {
      if (a.Accepts(w) != b.Accepts(w)) {
        first = w;
        break;
      }
    }
    const auto found = ShortestDifference(a, b);
    if (first || (found && found->size() <= 10)) ASSERT_EQ(found, first) << i;
    if (found) ASSERT_NE(a.Accepts(*found), b.Accepts(*found)) << i;
    ASSERT_EQ(!found, Minimize(a) == Minimize(b)) << i;
  }
}

TEST(Determinize, AgreesWithFollowingAllPaths) {
  const auto strings = AllStrings(2, 6);
  for (int i = 0; i < kMachines; ++i) {
    Rng rng = Rng::For(0, "nfa", static_cast<std::uint64_t>(i));
    const std::size_t states = 1 + rng.UniformInt(std::uint64_t{6});
    const Nfa nfa = RandomNfa(states, Letters(2), 2 * states, rng);
    Effort effort("test");
    const Dfa dfa = Determinize(nfa, effort);
    for (const String& w : strings) ASSERT_EQ(dfa.Accepts(w), NaiveAccepts(nfa, w)) << i;
  }
}

TEST(Determinize, RefusesExponentialGrowth) {
  // (a|b)* a (a|b)^30 needs 2^31 subsets.
  Nfa nfa(Letters(2));
  const Symbol a = SymbolAt(0), b = SymbolAt(1);
  StateId q = nfa.start = nfa.AddState(false);
  nfa.AddTransition(q, a, true, q);
  nfa.AddTransition(q, b, true, q);
  for (int i = 0; i <= 30; ++i) {
    const StateId next = nfa.AddState(i == 30);
    nfa.AddTransition(q, a, true, next);
    if (i > 0) nfa.AddTransition(q, b, true, next);
    q = next;
  }
  Effort effort("test");
  EXPECT_THROW(Determinize(nfa, effort), InputError);
}

TEST(ComputeNext, ListsTheActionsOfEachState) {
  DfaBuilder b(Letters(3));
  const StateId q = b.AddState(false), r = b.AddState(true);
  b.AddTransition(q, "b", r);
  b.AddTransition(r, "a", q);
  b.AddTransition(r, "c", r);
  const NextSymbolSets next = ComputeNext(std::move(b).Build(q));
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(next.Words(0)[0], 0b0010u);
  EXPECT_EQ(next.Words(1)[0], 0b1101u);
}

TEST(NextSymbolSets, HoldsMoreThanSixtyFourSymbols) {
  NextSymbolSets sets(130);
  sets.Append();
  sets.Add(SymbolAt(129));
  sets.AppendAll();
  sets.AddEos();
  EXPECT_TRUE(sets.Contains(0, SymbolAt(129)));
  EXPECT_FALSE(sets.Contains(0, SymbolAt(1)));
  EXPECT_FALSE(sets.ContainsEos(0));
  for (std::size_t a = 0; a < 130; ++a) EXPECT_TRUE(sets.Contains(1, SymbolAt(a)));
  EXPECT_TRUE(sets.ContainsEos(1));
}

}  // namespace
}  // namespace flare
