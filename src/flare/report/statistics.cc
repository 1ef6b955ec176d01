#include "flare/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "flare/base/error.h"

namespace flare::report {
namespace {

std::vector<double> Sorted(std::span<const double> values) {
  FLARE_CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Ranks, centered to mean zero.
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

constexpr std::size_t kResamples = 10'000;

// Takes the interval from the statistics of n values' resamples. kResamples makes the ranks whole.
Interval Percentiles(std::vector<double> resampled, std::size_t n) {
  const auto smallest = [&](std::size_t rank) {
    const auto at = resampled.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(resampled.begin(), at, resampled.end());
    return *at;
  };
  const std::size_t tail = resampled.size() / 40;
  return {smallest(std::max<std::size_t>(tail, 1)), smallest(resampled.size() - tail), n};
}

}  // namespace

double Mean(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  // Equal values have themselves as mean, to the last bit.
  if (sorted.front() == sorted.back()) return sorted.front();
  double sum = 0;
  for (const double x : sorted) sum += x;
  return sum / static_cast<double>(sorted.size());
}

double StandardDeviation(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  for (const double x : Sorted(values)) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double Median(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

Interval BootstrapMean(std::span<const double> values, Rng& rng) {
  const std::vector<double> sorted = Sorted(values);
  if (sorted.front() == sorted.back()) return {sorted.front(), sorted.back(), sorted.size()};
  return Bootstrap(sorted.size(), [&] {
    double sum = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) sum += sorted[rng.UniformInt(sorted.size())];
    return sum / static_cast<double>(sorted.size());
  });
}

Interval Bootstrap(std::size_t n, const std::function<double()>& resampled) {
  std::vector<double> values(kResamples);
  for (double& value : values) value = resampled();
  return Percentiles(std::move(values), n);
}

std::optional<Interval> BootstrapGroups(
    std::size_t n,
    const std::function<std::optional<double>(std::span<const std::size_t> chosen)>& statistic,
    Rng& rng) {
  if (n < kLeastForInterval) return std::nullopt;
  std::vector<double> resampled;
  std::vector<std::size_t> chosen(n);
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (std::size_t& group : chosen) group = rng.UniformInt(n);
    if (const auto value = statistic(chosen)) resampled.push_back(*value);
  }
  if (2 * resampled.size() < kResamples) return std::nullopt;
  return Percentiles(std::move(resampled), n);
}

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

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto factor = static_cast<double>(order.size() - k);
    least = std::max(least, std::min(1.0, factor * p_values[order[k]]));
    adjusted[order[k]] = least;
  }
  return adjusted;
}

}  // namespace flare::report
