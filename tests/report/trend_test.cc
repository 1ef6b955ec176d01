#include "flare/report/trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace flare::report {
namespace {

// Four standard deviations of a share of 20,000 draws.
double Tolerance(double p) { return 4 * std::sqrt(p * (1 - p) / 20'000) + 1.0 / 20'000; }

TEST(Trend, IsHowOftenChanceGivesIt) {
  const std::vector<double> places = {1, 2, 3};
  const TrendBlock falls{places, {0.9, 0.7, 0.5}};
  const auto one = TrendOf(std::vector{falls}, "test");
  EXPECT_DOUBLE_EQ(one->correlation, -1);
  EXPECT_EQ(one->n, 3u);
  // One order of six falls throughout; either direction counts.
  EXPECT_NEAR(one->p, 2.0 / 6, 2 * Tolerance(1.0 / 6));
  const auto three = TrendOf(std::vector{falls, falls, falls}, "test");
  EXPECT_DOUBLE_EQ(three->correlation, -1);
  EXPECT_NEAR(three->p, 2.0 / 216, 2 * Tolerance(1.0 / 216));
}

TEST(Trend, SeedsAreNotComparedWithEachOther) {
  // The second seed is better everywhere, and falls as the first does.
  const TrendBlock low{{1, 2}, {0.5, 0.4}}, high{{1, 2}, {0.9, 0.8}};
  EXPECT_DOUBLE_EQ(TrendOf(std::vector{low, high}, "test")->correlation, -1);
}

TEST(Trend, PlacesMayBeAsSmallAsAdamsEpsilon) {
  const TrendBlock rises{{1e-16, 1e-14, 1e-13}, {0.6, 0.7, 0.8}};
  EXPECT_DOUBLE_EQ(TrendOf(std::vector{rises}, "test")->correlation, 1);
}

TEST(Trend, OfEqualScoresIsNone) {
  const TrendBlock equal{{1, 2, 3}, {0.5, 0.5, 0.5}}, rises{{1, 2, 3}, {0.1, 0.2, 0.3}};
  const auto none = TrendOf(std::vector{equal}, "test");
  EXPECT_EQ(none->correlation, 0);
  EXPECT_EQ(none->p, 1);
  EXPECT_DOUBLE_EQ(TrendOf(std::vector{equal, rises}, "test")->correlation, 0.5);
  EXPECT_FALSE(TrendOf(std::vector{TrendBlock{{1}, {0.5}}}, "test"));
  EXPECT_FALSE(TrendOf({}, "test"));
}

}  // namespace
}  // namespace flare::report
