// Where a maximum over our runs can be compared with the paper's.
//
// If ours and the paper's runs came from one and the same law, the highest of all n + N accuracies
// would be among the paper's N with probability N / (N + n) at least (equal ones only add to it),
// and then ours is at or below the paper's. For n = 1 and N = 40 that is 0.98: a lower maximum says
// nothing. So a cell is judged where ours reaches the paper's, or where n has grown to N; runs that
// diverged without a score are among the n.

#ifndef FLARE_REPORT_JUDGEMENT_H_
#define FLARE_REPORT_JUDGEMENT_H_

#include <cstddef>

#include "flare/report/table.h"

namespace flare::report {

// Behind a maximum of the paper's main table: ten trials of four losses.
inline constexpr std::size_t kPaperExpressivityRuns = 40;
// Of its table of model sizes.
inline constexpr std::size_t kPaperModelSizeRuns = 10;

// Can a cell with a maximum of ours be compared with the paper's over this many runs?
bool CanBeJudged(const Cell& cell, std::size_t paper_runs);

}  // namespace flare::report

#endif  // FLARE_REPORT_JUDGEMENT_H_
