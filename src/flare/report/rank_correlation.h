// Spearman's rank correlation: do two lists of numbers put their places in the same order?

#ifndef FLARE_REPORT_RANK_CORRELATION_H_
#define FLARE_REPORT_RANK_CORRELATION_H_

#include <optional>
#include <span>

namespace flare::report {

// From −1 to 1: Pearson's correlation of the ranks, where equal values (but for rounding errors)
// share the mean of theirs. Nothing if all values of one list are equal. Requires: lists of one
// length.
std::optional<double> RankCorrelation(std::span<const double> a, std::span<const double> b);

}  // namespace flare::report

#endif  // FLARE_REPORT_RANK_CORRELATION_H_
