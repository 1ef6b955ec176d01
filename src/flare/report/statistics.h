// Summaries of a few numbers: the trials of one cell of the grid.

#ifndef FLARE_REPORT_STATISTICS_H_
#define FLARE_REPORT_STATISTICS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "flare/base/rng.h"

namespace flare::report {

// All require at least one value. Sums run over the sorted values, so that the same values in
// another order of trials give the same bits, and ties between groups are exact.
double Mean(std::span<const double> values);
// The population's: divided by n, as in the paper's tables.
double StandardDeviation(std::span<const double> values);
// The mean of the two in the middle if their number is even.
double Median(std::span<const double> values);

// By which sums and differences that are equal on paper may differ here: 1 − 0.98 exceeds 0.02 by
// 2·10⁻¹⁷. Scores that really differ do so by one of some thousand strings.
inline constexpr double kRoundingError = 1e-12;

struct Interval {
  double low;
  double high;
  std::size_t n;  // of values that it is of
};

// Fewer values have no interval: resamples of that few say nothing.
inline constexpr std::size_t kLeastForInterval = 5;

// The percentile bootstrap of the mean, two-sided at 95 %: the ⌈0.025 B⌉-th and ⌈0.975 B⌉-th
// smallest of the means of B = 10,000 resamples.
Interval BootstrapMean(std::span<const double> values, Rng& rng);

// The same for what resampled() gives for n values, which each call draws again.
Interval Bootstrap(std::size_t n, const std::function<double()>& resampled);

// The same for any statistic of groups that may differ as a whole, as the cells of a language do:
// statistic(chosen) is given the indices of n groups drawn with replacement, and may be nothing,
// which leaves the resample out. Nothing if n is below kLeastForInterval, or most are left out.
std::optional<Interval> BootstrapGroups(
    std::size_t n,
    const std::function<std::optional<double>(std::span<const std::size_t> chosen)>& statistic,
    Rng& rng);

}  // namespace flare::report

#endif  // FLARE_REPORT_STATISTICS_H_
