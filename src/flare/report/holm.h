// Holm's correction: of m statements tested at once, some look sure by chance.

#ifndef FLARE_REPORT_HOLM_H_
#define FLARE_REPORT_HOLM_H_

#include <span>
#include <vector>

namespace flare::report {

// The adjusted p-values, in the same order. Those of at most α name hypotheses to reject such that
// a true one is among them with probability at most α, however the tests depend on each other (Holm
// 1979): the k-th smallest is multiplied by m − k + 1, and is no smaller than those before it.
std::vector<double> HolmAdjusted(std::span<const double> p_values);

}  // namespace flare::report

#endif  // FLARE_REPORT_HOLM_H_
