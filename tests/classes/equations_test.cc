// The classes by their defining equations, on many small random languages, with every witness
// checked.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "flare/automata/operations.h"
#include "flare/classes/classification.h"
#include "support/naive_classes.h"
#include "support/naive_counting.h"
#include "support/random_automata.h"
#include "support/witness_checker.h"

namespace flare {
namespace {

constexpr std::size_t kLanguages = 50'000;
constexpr std::size_t kMostElements = 48;

// Of one to four states over one to three letters; half of them are complete.
Dfa SmallMachine(std::uint64_t i) {
  Rng rng = Rng::For(7, "equations", i);
  const std::size_t states = 1 + rng.UniformInt(std::uint64_t{4});
  const std::size_t letters = 1 + rng.UniformInt(std::uint64_t{3});
  const double density = i % 2 == 0 ? 1.0 : 0.3 + 0.6 * rng.Uniform();
  return Minimize(RandomDfa(states, Letters(letters), density, rng));
}

TEST(Equations, HoldIffTheClassDoes) {
  std::map<std::string, std::size_t> compared;
  std::size_t seen = 0;
  for (std::uint64_t i = 0; seen < kLanguages; ++i) {
    const Dfa dfa = SmallMachine(i);
    if (IsEmpty(dfa)) continue;
    const NaiveClasses naive(dfa, kMostElements);
    if (!naive.complete()) continue;
    ++seen;
    const classes::Classification c = classes::Classify(dfa);
    ASSERT_EQ(c.monoid.size, naive.size()) << i;
    WitnessChecker checker(dfa);
    for (const auto& [key, property] : c.properties) {
      ASSERT_TRUE(checker.Check(key, property)) << i << " " << key;
      const auto expected = naive.Holds(key);
      if (!expected) continue;
      ASSERT_EQ(property.holds, expected) << i << " " << key;
      ++compared[key];
    }
    for (const auto& [key, proof, read_out] :
         {std::tuple("c_rasp", &c.c_rasp_proof, classes::ReadOut::kEos),
          std::tuple("c_rasp_last", &c.c_rasp_last_proof, classes::ReadOut::kLast)}) {
      ASSERT_TRUE(*proof) << i << " " << key;
      ASSERT_TRUE(CheckCountingProof(dfa, **proof, *c.At(key).holds, read_out)) << i << " " << key;
    }
    for (const auto& [part, whole] : classes::Inclusions()) {
      ASSERT_FALSE(c.At(part).holds == true && c.At(whole).holds == false) << i << part << whole;
    }
  }
  for (const auto& [key, count] : compared) EXPECT_GT(count, kLanguages * 4 / 5) << key;
  EXPECT_EQ(compared.size(), 24u);
}

// Strings with the same prefix, suffix and factors, or the same subsequences, are both in the
// language or both outside; the witnesses show that no smaller k will do.
TEST(Equations, SmallestOrdersAreOrders) {
  constexpr std::size_t kLongest = 8;
  const auto strings = AllStrings(2, kLongest);
  std::size_t local = 0, piecewise = 0;
  for (std::uint64_t i = 0; local < 150 || piecewise < 150; ++i) {
    Rng rng = Rng::For(8, "orders", i);
    const Dfa dfa = Minimize(RandomDfa(2 + rng.UniformInt(std::uint64_t{4}), Letters(2), 0.7, rng));
    if (IsEmpty(dfa)) continue;
    const classes::Classification c = classes::Classify(dfa);
    const auto& lt = c.At("locally_testable");
    if (lt.holds == true) {
      ASSERT_TRUE(lt.k);
      ++local;
      const auto k = static_cast<std::ptrdiff_t>(*lt.k);
      std::map<std::set<String>, bool> outcome;
      for (const String& w : strings) {
        std::set<String> view;
        if (w.size() + 1 < *lt.k) continue;  // short strings are known one by one
        // Told apart by a length that no factor has.
        String prefix(w.begin(), w.begin() + k - 1), suffix(w.end() - (k - 1), w.end());
        prefix.insert(prefix.begin(), 2, SymbolAt(7));
        suffix.insert(suffix.begin(), 3, SymbolAt(7));
        view.insert(prefix);
        view.insert(suffix);
        for (auto at = w.begin(); w.end() - at >= k; ++at) view.insert(String(at, at + k));
        const auto [found, is_new] = outcome.try_emplace(view, dfa.Accepts(w));
        ASSERT_EQ(found->second, dfa.Accepts(w)) << i;
      }
    }
    const auto& pt = c.At("piecewise_testable");
    if (pt.holds == true && pt.k) {
      ++piecewise;
      std::map<std::set<String>, bool> outcome;
      for (const String& w : strings) {
        std::set<String> view{{}};
        for (const Symbol a : w) {
          const std::set<String> before = view;
          for (String v : before) {
            if (v.size() == *pt.k) continue;
            v.push_back(a);
            view.insert(v);
          }
        }
        const auto [found, is_new] = outcome.try_emplace(view, dfa.Accepts(w));
        ASSERT_EQ(found->second, dfa.Accepts(w)) << i;
      }
    }
  }
}

}  // namespace
}  // namespace flare
