#include "flare/report/trend.h"

#include <algorithm>
#include <utility>

#include "flare/base/rng.h"
#include "flare/report/randomization.h"
#include "flare/report/rank_correlation.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

double MeanCorrelation(const std::vector<TrendBlock>& blocks) {
  std::vector<double> correlations;
  for (const TrendBlock& block : blocks) {
    correlations.push_back(RankCorrelation(block.places, block.scores).value_or(0));
  }
  return Mean(correlations);
}

// Places by their order: ranks are of scores, of which those that differ by less than a rounding
// error are equal, which settings as small as Adam's epsilon are not.
std::vector<double> OrderOf(const std::vector<double>& places) {
  std::vector<double> sorted = places, order;
  std::sort(sorted.begin(), sorted.end());
  for (const double place : places) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), place);
    order.push_back(static_cast<double>(at - sorted.begin()));
  }
  return order;
}

}  // namespace

std::optional<Trend> TrendOf(std::span<const TrendBlock> blocks, const std::string& stream) {
  std::vector<TrendBlock> dealt;
  Trend trend;
  for (const TrendBlock& block : blocks) {
    if (block.scores.size() < 2) continue;
    dealt.push_back({OrderOf(block.places), block.scores});
    trend.n += block.scores.size();
  }
  if (dealt.empty()) return std::nullopt;
  trend.correlation = MeanCorrelation(dealt);
  Rng rng = Rng::For(0, stream);
  // What was observed is one of the outcomes.
  double above = 1, below = 1;
  for (std::size_t i = 0; i < kRandomOutcomes; ++i) {
    for (TrendBlock& block : dealt) rng.Shuffle(block.scores);
    const double chance = MeanCorrelation(dealt);
    above += chance >= trend.correlation - kRoundingError ? 1 : 0;
    below += chance <= trend.correlation + kRoundingError ? 1 : 0;
  }
  const double outcomes = kRandomOutcomes + 1.0;
  trend.p = Tails{above / outcomes, below / outcomes}.TwoSided();
  return trend;
}

}  // namespace flare::report
