// What the paper's §5 says about its runs, as statements about ours.

#ifndef FLARE_REPORT_PAPER_CLAIMS_H_
#define FLARE_REPORT_PAPER_CLAIMS_H_

#include <vector>

#include "flare/report/claims.h"
#include "flare/report/paper_runs.h"

namespace flare::report {

// Measured and judged, in the order of §5. Architectures are compared
//   over languages, each of which counts once, by the scores of the main table; or
//   on certain languages, run by run, within language and loss (short validation set).
std::vector<Claim> PaperClaims(const PaperRuns& runs);

}  // namespace flare::report

#endif  // FLARE_REPORT_PAPER_CLAIMS_H_
