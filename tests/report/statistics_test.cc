#include "flare/report/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace flare::report {
namespace {

TEST(Statistics, MatchExamplesByHand) {
  const std::vector<double> values = {1, 2, 4, 5};
  EXPECT_DOUBLE_EQ(Mean(values), 3);
  EXPECT_DOUBLE_EQ(StandardDeviation(values), 1.5811388300841898);  // √(10/4): the population's
  EXPECT_DOUBLE_EQ(Median(values), 3);
  EXPECT_DOUBLE_EQ(Median(std::vector<double>{7, 1, 3}), 3);
  EXPECT_DOUBLE_EQ(StandardDeviation(std::vector<double>{0.7}), 0);
}

TEST(Statistics, MeanDoesNotDependOnTheOrderOfTrials) {
  std::vector<double> values = {0.1, 0.7, 0.3, 0.9, 1.0 / 3};
  std::sort(values.begin(), values.end());
  const double mean = Mean(values), deviation = StandardDeviation(values);
  while (std::next_permutation(values.begin(), values.end())) {
    ASSERT_EQ(Mean(values), mean);
    ASSERT_EQ(StandardDeviation(values), deviation);
  }
}

TEST(Statistics, MeanOfEqualValuesIsThatValue) {
  EXPECT_EQ(Mean(std::vector<double>(10, 0.1)), 0.1);
  EXPECT_EQ(StandardDeviation(std::vector<double>(10, 0.1)), 0);
}

TEST(Bootstrap, IntervalOfTwoValuesIsTheirRange) {
  // Means are 0, ½ and 1 with probabilities ¼, ½, ¼: both tails hold more than 2.5 %.
  Rng rng = Rng::For(0, "test");
  const Interval interval = BootstrapMean(std::vector<double>{0, 1}, rng);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 1);
}

TEST(Bootstrap, IntervalOfManyValuesIsAboutTwoStandardErrors) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i % 2);
  Rng rng = Rng::For(0, "test");
  const Interval interval = BootstrapMean(values, rng);
  const double error = 0.5 / std::sqrt(1000);
  EXPECT_NEAR(interval.low, 0.5 - 1.96 * error, 0.1 * error);
  EXPECT_NEAR(interval.high, 0.5 + 1.96 * error, 0.1 * error);
}

TEST(Bootstrap, IntervalOfOneValueIsThatValue) {
  Rng rng = Rng::For(0, "test");
  const Interval interval = BootstrapMean(std::vector<double>{0.25}, rng);
  EXPECT_EQ(interval.low, 0.25);
  EXPECT_EQ(interval.high, 0.25);
}

// By hand; R's p.adjust(p, "holm") gives the same.
TEST(Holm, MatchesAnExampleByHand) {
  EXPECT_EQ(HolmAdjusted({}), std::vector<double>{});
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> adjusted = HolmAdjusted(p);
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_DOUBLE_EQ(adjusted[i], expected[i]);
  EXPECT_EQ(HolmAdjusted(std::vector<double>{0.6, 0.9}), (std::vector<double>{1, 1}));
}

TEST(RankCorrelation, MatchesAnExampleByHand) {
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
