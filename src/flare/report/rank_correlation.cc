#include "flare/report/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "flare/base/check.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

// From 1.
std::vector<double> MidRanks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] - values[order[begin]] <= kRoundingError) ++end;
    // The mean of begin + 1, ..., end.
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    }
    begin = end;
  }
  return ranks;
}

}  // namespace

std::optional<double> RankCorrelation(std::span<const double> a, std::span<const double> b) {
  FLARE_CHECK(a.size() == b.size());
  const std::vector<double> x = MidRanks(a), y = MidRanks(b);
  const double mean = static_cast<double>(a.size() + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace flare::report
