#include "flare/report/randomization.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "flare/report/holm.h"
#include "flare/report/rank_correlation.h"

namespace flare::report {
namespace {

Tails FlipSigns(const std::vector<double>& values) {
  Rng rng = Rng::For(0, "test/signs");
  return SignFlipTest(values, rng);
}

Tails Deal(const std::vector<Stratum>& strata) {
  Rng rng = Rng::For(0, "test/strata");
  return StratifiedTest(strata, rng);
}

TEST(SignFlipTest, ByHand) {
  // Of the eight outcomes only one is as high as 6.
  EXPECT_DOUBLE_EQ(FlipSigns({1, 2, 3}).upper, 1.0 / 8);
  EXPECT_DOUBLE_EQ(FlipSigns({1, 2, 3}).lower, 1);
  EXPECT_DOUBLE_EQ(FlipSigns({1, 2, 3}).TwoSided(), 1.0 / 4);
  // 3, three times 1, three times −1, −3.
  EXPECT_DOUBLE_EQ(FlipSigns({1, 1, -1}).upper, 4.0 / 8);
  EXPECT_DOUBLE_EQ(FlipSigns({1, 1, -1}).lower, 7.0 / 8);
  EXPECT_DOUBLE_EQ(FlipSigns({0, 0}).TwoSided(), 1);
  // Sums that are equal but for rounding are equal.
  EXPECT_DOUBLE_EQ(FlipSigns({0.1, 0.2, -0.3}).upper, 5.0 / 8);
}

// Values of ±1 are a binomial.
TEST(SignFlipTest, OfManyValuesIsNearTheBinomial) {
  constexpr int kValues = 25, kPlus = 17;
  std::vector<double> values(kValues, -1);
  std::fill_n(values.begin(), kPlus, 1);
  double exact = 0;
  for (int k = kPlus; k <= kValues; ++k) {
    exact += std::exp(std::lgamma(kValues + 1) - std::lgamma(k + 1) - std::lgamma(kValues - k + 1) -
                      kValues * std::log(2));
  }
  const double error = std::sqrt(exact * (1 - exact) / kRandomOutcomes);
  EXPECT_NEAR(FlipSigns(values).upper, exact, 4 * error);
}

TEST(StratifiedTest, ByHand) {
  // −1.5 as seen, 0 and 1.5.
  const std::vector<Stratum> one = {{{1, 2}, {3}}};
  EXPECT_DOUBLE_EQ(StratifiedDifference(one), -1.5);
  EXPECT_DOUBLE_EQ(Deal(one).upper, 1);
  EXPECT_DOUBLE_EQ(Deal(one).lower, 1.0 / 3);
  // Each stratum falls either way.
  const std::vector<Stratum> two = {{{2}, {1}}, {{5}, {1}}};
  EXPECT_DOUBLE_EQ(StratifiedDifference(two), 2.5);
  EXPECT_DOUBLE_EQ(Deal(two).upper, 1.0 / 4);
}

// Every assignment of every stratum, by permuting labels.
Tails Naive(const std::vector<Stratum>& strata) {
  const double seen = StratifiedDifference(strata);
  double all = 0, upper = 0, lower = 0;
  std::vector<Stratum> now = strata;
  const std::function<void(std::size_t)> deal = [&](std::size_t at) {
    if (at == strata.size()) {
      const double value = StratifiedDifference(now);
      ++all;
      upper += value >= seen - 1e-9;
      lower += value <= seen + 1e-9;
      return;
    }
    std::vector<double> pool = strata[at].first;
    pool.insert(pool.end(), strata[at].second.begin(), strata[at].second.end());
    std::vector<int> labels(pool.size(), 1);
    std::fill_n(labels.begin(), strata[at].first.size(), 0);
    do {
      now[at] = {};
      for (std::size_t i = 0; i < pool.size(); ++i) {
        (labels[i] == 0 ? now[at].first : now[at].second).push_back(pool[i]);
      }
      deal(at + 1);
    } while (std::next_permutation(labels.begin(), labels.end()));
  };
  deal(0);
  return {upper / all, lower / all};
}

TEST(StratifiedTest, IsTheNaiveOne) {
  Rng rng = Rng::For(3, "test/draws");
  for (int round = 0; round < 20; ++round) {
    std::vector<Stratum> strata(1 + rng.UniformInt(3));
    for (Stratum& stratum : strata) {
      // Small whole numbers, so that there are ties.
      stratum.first.resize(1 + rng.UniformInt(3));
      stratum.second.resize(1 + rng.UniformInt(3));
      for (double& x : stratum.first) x = static_cast<double>(rng.UniformInt(4));
      for (double& x : stratum.second) x = static_cast<double>(rng.UniformInt(4));
    }
    const Tails fast = Deal(strata), naive = Naive(strata);
    EXPECT_DOUBLE_EQ(fast.upper, naive.upper) << round;
    EXPECT_DOUBLE_EQ(fast.lower, naive.lower) << round;
  }
}

// The number of subsets of each size and sum, by adding one value after the other.
TEST(StratifiedTest, OfManyValuesIsNearTheCount) {
  const std::vector<double> first = {9, 7, 8, 4, 6, 9, 5, 8, 7, 3, 9, 6},
                            second = {2, 5, 1, 7, 3, 4, 6, 2, 5, 3, 8, 1};
  std::vector<std::vector<double>> ways(first.size() + 1, std::vector<double>(250));
  ways[0][0] = 1;
  for (const auto* sample : {&first, &second}) {
    for (const double x : *sample) {
      for (std::size_t size = first.size(); size > 0; --size) {
        for (std::size_t sum = 249; sum >= static_cast<std::size_t>(x); --sum) {
          ways[size][sum] += ways[size - 1][sum - static_cast<std::size_t>(x)];
        }
      }
    }
  }
  const auto& sums = ways[first.size()];
  const auto seen = static_cast<std::ptrdiff_t>(std::accumulate(first.begin(), first.end(), 0.0));
  const double exact = std::accumulate(sums.begin() + seen, sums.end(), 0.0) /
                       std::accumulate(sums.begin(), sums.end(), 0.0);
  const double error = std::sqrt(exact / kRandomOutcomes);
  EXPECT_NEAR(Deal({{first, second}}).upper, exact, 4 * error + 1.0 / kRandomOutcomes);
}

// By hand; R's p.adjust(p, "holm") gives the same.
TEST(Holm, ByHand) {
  EXPECT_EQ(HolmAdjusted({}), std::vector<double>{});
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> adjusted = HolmAdjusted(p);
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_DOUBLE_EQ(adjusted[i], expected[i]);
  EXPECT_EQ(HolmAdjusted(std::vector<double>{0.6, 0.9}), (std::vector<double>{1, 1}));
}

TEST(RankCorrelation, ByHand) {
  const std::vector<double> up = {1, 5, 20}, down = {3, 2, 1};
  EXPECT_DOUBLE_EQ(*RankCorrelation(up, up), 1);
  EXPECT_DOUBLE_EQ(*RankCorrelation(up, down), -1);
  // Ranks 1, 2½, 2½, 4 and 1, 3, 2, 4.
  EXPECT_DOUBLE_EQ(
      *RankCorrelation(std::vector<double>{1, 2, 2, 3}, std::vector<double>{0.1, 0.3, 0.2, 0.4}),
      4.5 / std::sqrt(4.5 * 5));
  EXPECT_FALSE(RankCorrelation(std::vector<double>{1, 1}, std::vector<double>{1, 2}));
}

// 0.1 + 0.2 exceeds 0.3 by rounding alone: means that are equal on paper share their rank.
TEST(RankCorrelation, RoundingErrorsMakeNoOrder) {
  const std::vector<double> means = {0.1, 0.1 + 0.2, 0.3, 0.4};
  ASSERT_NE(means[1], means[2]);
  EXPECT_DOUBLE_EQ(*RankCorrelation(means, std::vector<double>{1, 2, 3, 4}),
                   4.5 / std::sqrt(4.5 * 5));
  EXPECT_FALSE(RankCorrelation(std::vector<double>{0.1 + 0.2, 0.3}, std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace flare::report
