#include "flare/report/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "flare/base/check.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

// Less their mean.
std::vector<double> RanksOf(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double mean = static_cast<double>(values.size() + 1) / 2;
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] - values[order[begin]] <= kRoundingError) ++end;
    // The mean of begin + 1, ..., end, as ranks begin with 1.
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2 - mean;
    }
    begin = end;
  }
  return ranks;
}

double SumOfProducts(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

CentredRanks::CentredRanks(std::span<const double> a, std::span<const double> b)
    : first(RanksOf(a)), second(RanksOf(b)) {
  FLARE_CHECK(a.size() == b.size());
  norm = std::sqrt(SumOfProducts(first, first) * SumOfProducts(second, second));
}

double CentredRanks::Products() const { return SumOfProducts(first, second); }

std::optional<double> RankCorrelation(std::span<const double> a, std::span<const double> b) {
  const CentredRanks ranks(a, b);
  return ranks.norm > 0 ? std::optional(ranks.Correlation()) : std::nullopt;
}

}  // namespace flare::report
