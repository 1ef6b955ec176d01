#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "flare/automata/matching.h"
#include "flare/automata/operations.h"
#include "flare/automata/paper/edit_automaton.h"
#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"
#include "flare/languages/catalog.h"
#include "support/random_automata.h"

namespace flare {
namespace {

std::size_t Levenshtein(StringView a, StringView b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
    }
  }
  return d[a.size()][b.size()];
}

std::vector<Dfa> RandomMachines(std::size_t count, std::size_t most_states) {
  std::vector<Dfa> machines;
  for (std::uint64_t i = 0; machines.size() < count; ++i) {
    Rng rng = Rng::For(0, "edit-distance-test", i);
    const std::size_t states = 1 + rng.UniformInt(most_states);
    Dfa dfa = Trim(RandomDfa(states, Letters(2), 0.2 + 0.6 * rng.Uniform(), rng));
    if (!IsEmpty(dfa)) machines.push_back(std::move(dfa));
  }
  return machines;
}

TEST(EditDistance, IsTheLeastLevenshteinDistanceToAMember) {
  const auto strings = AllStrings(2, 5);
  // The nearest member is at most |Q| insertions from some state on the way: of length at most 5 +
  // 4, for these sizes.
  const auto members = AllStrings(2, 9);
  for (const Dfa& dfa : RandomMachines(60, 4)) {
    for (const String& w : strings) {
      std::size_t least = SIZE_MAX;
      for (const String& v : members) {
        if (dfa.Accepts(v)) least = std::min(least, Levenshtein(w, v));
      }
      ASSERT_EQ(EditDistance(dfa, w), least);
    }
  }
}

TEST(EditDistance, AgreesWithThePapersConstruction) {
  for (const Dfa& dfa : RandomMachines(60, 7)) {
    Rng rng = Rng::For(0, "path-sum");
    for (const std::size_t length : {0u, 1u, 4u, 9u}) {
      const String w = RandomString(length, 2, rng);
      ASSERT_EQ(EditDistance(dfa, w), EditDistanceByPathSum(dfa, w));
    }
  }
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    if (language->dfa() == nullptr) continue;
    Rng rng = Rng::For(0, entry.name);
    const String w = RandomString(6, language->alphabet().size(), rng);
    EXPECT_EQ(EditDistance(*language->dfa(), w), EditDistanceByPathSum(*language->dfa(), w));
  }
}

// Lemma 1 of Appendix J.
TEST(EditAutomaton, GivesEveryStringItsDistance) {
  const auto strings = AllStrings(2, 4);
  for (const String& w : AllStrings(2, 3)) {
    const auto chain = EditAutomaton(Letters(2), w);
    for (const String& u : strings) {
      ASSERT_EQ(StringSum(TropicalSemiring{}, chain, u), static_cast<double>(Levenshtein(u, w)));
    }
  }
}

TEST(EditDistance, IsZeroExactlyForMembersAndOneEditChangesItByOne) {
  for (const Dfa& dfa : RandomMachines(60, 10)) {
    Rng rng = Rng::For(0, "edits");
    for (int i = 0; i < 20; ++i) {
      String w = RandomString(rng.UniformInt(std::uint64_t{40}), 2, rng);
      const std::size_t before = EditDistance(dfa, w);
      ASSERT_EQ(before == 0, dfa.Accepts(w));
      w.insert(w.begin() + static_cast<std::ptrdiff_t>(rng.UniformInt(w.size() + 1)), SymbolAt(0));
      const std::size_t after = EditDistance(dfa, w);
      ASSERT_LE(before, after + 1);
      ASSERT_LE(after, before + 1);
    }
  }
}

}  // namespace
}  // namespace flare
