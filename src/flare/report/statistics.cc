#include "flare/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "flare/base/check.h"

namespace flare::report {
namespace {

std::vector<double> Sorted(std::span<const double> values) {
  FLARE_CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
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
  constexpr std::size_t kResamples = 10'000;
  const std::vector<double> sorted = Sorted(values);
  if (sorted.front() == sorted.back()) return {sorted.front(), sorted.back(), sorted.size()};
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) sum += sorted[rng.UniformInt(sorted.size())];
    mean = sum / static_cast<double>(sorted.size());
  }
  const auto smallest = [&](std::size_t rank) {
    const auto at = means.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(means.begin(), at, means.end());
    return *at;
  };
  return {smallest(kResamples / 40), smallest(kResamples - kResamples / 40), sorted.size()};
}

}  // namespace flare::report
