#include "flare/report/trend.h"

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

}  // namespace

std::optional<Trend> TrendOf(std::span<const TrendBlock> blocks, const std::string& stream) {
  std::vector<TrendBlock> dealt;
  Trend trend;
  for (const TrendBlock& block : blocks) {
    if (block.scores.size() < 2) continue;
    dealt.push_back(block);
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
