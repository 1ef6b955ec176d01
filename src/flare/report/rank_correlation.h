// Spearman's rank correlation: do two lists of numbers put their places in the same order?

#ifndef FLARE_REPORT_RANK_CORRELATION_H_
#define FLARE_REPORT_RANK_CORRELATION_H_

#include <optional>
#include <span>
#include <vector>

namespace flare::report {

// From −1 to 1: Pearson's correlation of the ranks, where equal values (but for rounding errors)
// share the mean of theirs. Nothing if all values of one list are equal. Requires: lists of one
// length.
std::optional<double> RankCorrelation(std::span<const double> a, std::span<const double> b);

// What it is made of: the ranks of both less their mean, so that the sum of their products over the
// norm is the correlation. The norm is 0 if all values of one list are equal.
struct CentredRanks {
  // Requires: lists of one length.
  CentredRanks(std::span<const double> a, std::span<const double> b);

  double Products() const;
  // 0 where there is none.
  double Correlation() const { return norm > 0 ? Products() / norm : 0; }

  std::vector<double> first, second;
  double norm = 0;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_RANK_CORRELATION_H_
