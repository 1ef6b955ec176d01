// Summaries of a few numbers, such as the trials of one cell of the grid.

#ifndef FLARE_REPORT_STATISTICS_H_
#define FLARE_REPORT_STATISTICS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "flare/base/rng.h"

namespace flare::report {

// All require at least one value. Sums run over the sorted values, so that the same values in
// another order of trials give the same bits, and ties between groups are exact.
double Mean(std::span<const double> values);
// The population's: divided by n.
double StandardDeviation(std::span<const double> values);
// The mean of the two in the middle if their number is even.
double Median(std::span<const double> values);

// The difference that rounding may cause between sums that are mathematically equal: 1 − 0.98
// exceeds 0.02 by 2·10⁻¹⁷. Scores that really differ do so by one of some thousand strings.
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

// The same for a statistic of n values: each call of resampled() draws one.
Interval Bootstrap(std::size_t n, const std::function<double()>& resampled);

// The same for any statistic of groups that may differ as a whole, as the cells of a language do:
// statistic(chosen) is given the indices of n groups drawn with replacement, and may be nothing,
// which leaves the resample out. Nothing if n is below kLeastForInterval, or most are left out.
std::optional<Interval> BootstrapGroups(
    std::size_t n,
    const std::function<std::optional<double>(std::span<const std::size_t> chosen)>& statistic,
    Rng& rng);

// Spearman's rank correlation: do two lists of numbers put their places in the same order?
// From −1 to 1: Pearson's correlation of the ranks, where equal values (but for rounding errors)
// share the mean of theirs. Nothing if all values of one list are equal. Requires: lists of one
// length.
std::optional<double> RankCorrelation(std::span<const double> a, std::span<const double> b);

// Ranks of both lists, centered to mean zero: the sum of their products over the norm is the
// correlation. The norm is 0 if all values of one list are equal.
struct CentredRanks {
  // Requires: lists of one length.
  CentredRanks(std::span<const double> a, std::span<const double> b);

  double Products() const;
  // 0 where there is none.
  double Correlation() const { return norm > 0 ? Products() / norm : 0; }

  std::vector<double> first, second;
  double norm = 0;
};

// Holm's correction: of m statements tested at once, some look sure by chance. The adjusted
// p-values, in the same order. Those of at most α name hypotheses to reject such that a true one is
// among them with probability at most α, however the tests depend on each other (Holm 1979): the
// k-th smallest is multiplied by m − k + 1, and is no smaller than those before it.
std::vector<double> HolmAdjusted(std::span<const double> p_values);

}  // namespace flare::report

#endif  // FLARE_REPORT_STATISTICS_H_
