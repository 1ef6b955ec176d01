#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "flare/report/numeric_axes.h"
#include "flare/report/statistics.h"

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
  EXPECT_DOUBLE_EQ(one->p, 2.0 / 6);
  const auto three = TrendOf(std::vector{falls, falls, falls}, "test");
  EXPECT_DOUBLE_EQ(three->correlation, -1);
  EXPECT_DOUBLE_EQ(three->p, 2.0 / 216);
}

// The share of all deals whose mean correlation is at least as strong, counted one by one.
double ByCounting(std::vector<TrendBlock> blocks) {
  const auto mean = [&] {
    double sum = 0;
    for (const TrendBlock& block : blocks) {
      sum += RankCorrelation(block.places, block.scores).value_or(0);
    }
    return sum / static_cast<double>(blocks.size());
  };
  const double observed = mean();
  double deals = 0, above = 0, below = 0;
  const auto deal = [&](const auto& self, std::size_t block) -> void {
    if (block == blocks.size()) {
      const double chance = mean();
      ++deals;
      above += chance >= observed - 1e-9 ? 1 : 0;
      below += chance <= observed + 1e-9 ? 1 : 0;
      return;
    }
    // By place in the list, so that equal scores are dealt out like others.
    const std::vector<double> scores = blocks[block].scores;
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      for (std::size_t i = 0; i < order.size(); ++i) blocks[block].scores[i] = scores[order[i]];
      self(self, block + 1);
    } while (std::next_permutation(order.begin(), order.end()));
    blocks[block].scores = scores;
  };
  deal(deal, 0);
  return std::min(1.0, 2 * std::min(above, below) / deals);
}

TEST(Trend, IsExactForFewPlaces) {
  const std::vector<double> places = {0.1, 0.2, 0.4, 0.8};
  const TrendBlock falls{places, {0.9, 0.8, 0.85, 0.5}}, rises{places, {0.5, 0.7, 0.6, 0.8}},
      ties{places, {0.5, 0.5, 0.9, 0.5}}, equal{places, {0.5, 0.5, 0.5, 0.5}},
      fewer{{0.1, 0.2, 0.8}, {1, 0.5, 0.5}};
  for (const auto& blocks : {std::vector{falls},
                             {falls, falls},
                             {rises, rises},
                             {rises, ties},
                             {falls, ties},
                             {fewer, fewer, ties, ties, rises},
                             {ties, fewer, equal},
                             {fewer, falls}}) {
    EXPECT_NEAR(TrendOf(blocks, "test")->p, ByCounting(blocks), 1e-12);
  }
}

TEST(Trend, IsDrawnForMany) {
  const TrendBlock nine{{1, 2, 3, 4, 5, 6, 7, 8, 9},
                        {0.9, 0.8, 0.3, 0.85, 0.6, 0.1, 0.7, 0.2, 0.5}};
  const double p = ByCounting({nine});
  EXPECT_NE(TrendOf(std::vector{nine}, "test")->p, p);
  EXPECT_NEAR(TrendOf(std::vector{nine}, "test")->p, p, 2 * Tolerance(p / 2));
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

TEST(Trend, EqualScoresHaveNoTrend) {
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
