#include "flare/data/negatives.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/languages/catalog.h"
#include "flare/languages/language.h"
#include "support/chi_square.h"
#include "support/every_language.h"
#include "support/random_automata.h"

namespace flare {
namespace {

// The law of one edit, by listing every type, position and symbol with its probability.
std::map<String, double> EditLaw(const String& w, std::size_t width, LengthRange range) {
  const bool insert = w.size() < range.max, replace = !w.empty() && width > 1,
             erase = w.size() > range.min;
  const double types = (insert ? 1 : 0) + (replace ? 1 : 0) + (erase ? 1 : 0);
  std::map<String, double> law;
  for (std::size_t i = 0; i <= w.size(); ++i) {
    for (std::size_t a = 0; a < width; ++a) {
      if (insert) {
        String v = w;
        v.insert(v.begin() + static_cast<std::ptrdiff_t>(i), SymbolAt(a));
        law[v] += 1 / (types * static_cast<double>((w.size() + 1) * width));
      }
      if (replace && i < w.size() && SymbolAt(a) != w[i]) {
        String v = w;
        v[i] = SymbolAt(a);
        law[v] += 1 / (types * static_cast<double>(w.size() * (width - 1)));
      }
    }
    if (erase && i < w.size()) {
      String v = w;
      v.erase(v.begin() + static_cast<std::ptrdiff_t>(i));
      law[v] += 1 / (types * static_cast<double>(w.size()));
    }
  }
  return law;
}

TEST(EditOnce, FollowsTheLawOfAppendixA) {
  constexpr std::size_t kDraws = 30000;
  struct Case {
    String w;
    std::size_t width;
    LengthRange range;
  };
  const Symbol a = SymbolAt(0), b = SymbolAt(1), c = SymbolAt(2);
  for (const Case& t : {Case{{a, b, c}, 3, {0, 5}},
                        {{a, b, c}, 3, {3, 5}},
                        {{a, b, c}, 3, {0, 3}},
                        {{a, b, c}, 3, {3, 3}},
                        {{}, 3, {0, 5}},
                        {{a, a}, 1, {1, 5}}}) {
    const auto law = EditLaw(t.w, t.width, t.range);
    std::map<String, std::size_t> counts;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      Rng rng = Rng::For(0, "edit", i);
      String w = t.w;
      ASSERT_TRUE(EditOnce(t.width, t.range, rng, w));
      ++counts[w];
    }
    std::vector<std::size_t> observed;
    std::vector<double> expected;
    for (const auto& [w, p] : law) {
      observed.push_back(counts[w]);
      expected.push_back(p * kDraws);
      counts.erase(w);
    }
    EXPECT_TRUE(counts.empty());
    if (law.size() > 1) EXPECT_GT(ChiSquarePValue(observed, expected), kAlpha);
  }
}

TEST(EditOnce, SaysWhenNothingIsAllowed) {
  Rng rng = Rng::For(0, "none");
  String empty, one{SymbolAt(0)};
  EXPECT_FALSE(EditOnce(3, {0, 0}, rng, empty));
  EXPECT_FALSE(EditOnce(1, {1, 1}, rng, one));
}

TEST(NegativeSampler, DrawsOnlyNonMembersWithLengthsInRange) {
  for (const CatalogEntry& entry : Catalog()) {
    const auto language = entry.make();
    for (const LengthRange range : {LengthRange{0, 40}, {30, 45}}) {
      const auto positives = language->MakeSampler(range);
      const NegativeSampler negatives(*language, *positives, range);
      for (std::uint64_t i = 0; i < 500; ++i) {
        Rng rng = Rng::For(0, entry.name, i);
        const Negative negative = negatives.Sample(rng);
        ASSERT_FALSE(language->Contains(negative.w));
        ASSERT_TRUE(range.Contains(negative.w.size()));
      }
    }
  }
}

// Facts of the published training splits: how often negatives are perturbed members, and, over all
// languages, by how many edits.
TEST(NegativeSampler, HasTheSharesOfThePublishedData) {
  const std::map<std::string, double> rare = {
      {"first", .16}, {"majority", .14}, {"even-pairs", .25}};
  std::map<std::size_t, double> edits;
  double perturbed_in_all = 0;
  for (const CatalogEntry& entry : EntriesWhere(IsInPaper)) {
    const auto language = entry.make();
    const auto positives = language->MakeSampler({0, 40});
    const NegativeSampler negatives(*language, *positives, {0, 40});
    constexpr int kDraws = 5000;
    int perturbed = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      Rng rng = Rng::For(5, entry.name, i);
      const Negative negative = negatives.Sample(rng);
      if (!negative.num_edits) continue;
      ++perturbed;
      ++edits[*negative.num_edits];
    }
    perturbed_in_all += perturbed;
    const double share = perturbed / double{kDraws};
    if (rare.contains(entry.name)) {
      EXPECT_NEAR(share, rare.at(entry.name), 0.02) << entry.name;
    } else {
      EXPECT_GT(share, .44) << entry.name;
      EXPECT_LT(share, .55) << entry.name;
    }
  }
  const double expected[] = {0, .49, .24, .13, .07, .04};
  for (std::size_t k = 1; k <= 5; ++k) EXPECT_NEAR(edits[k] / perturbed_in_all, expected[k], 0.01);
}

TEST(NegativeSampler, SettingsReachTheDraws) {
  const auto language = FindInCatalog("dyck-2-3")->make();
  const LengthRange range{0, 40};
  const auto positives = language->MakeSampler(range);
  const NegativeSampler never(*language, *positives, range, {.perturbation_probability = 0});
  const NegativeSampler always(*language, *positives, range,
                               {.perturbation_probability = 1, .stop_probability = 1});
  for (std::uint64_t i = 0; i < 200; ++i) {
    Rng rng = Rng::For(0, "settings", i);
    EXPECT_EQ(never.Sample(rng).num_edits, std::nullopt);
    EXPECT_EQ(always.Sample(rng).num_edits, 1u);
  }
}

TEST(NegativeSampler, GivesUpOnAComplementThatIsTooSmall) {
  const RegularLanguage everything(CompileRegex("[ab]*"));
  const auto positives = everything.MakeSampler({0, 5});
  const NegativeSampler negatives(everything, *positives, {0, 5});
  Rng rng = Rng::For(0, "give-up");
  EXPECT_THROW(negatives.Sample(rng), InputError);
}

}  // namespace
}  // namespace flare
