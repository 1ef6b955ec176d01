// The two scores of a language and a variant (paper, Table 2), ours with the paper's next to it.

#ifndef FLARE_REPORT_MAIN_CELLS_H_
#define FLARE_REPORT_MAIN_CELLS_H_

#include <string>

#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

// Short validation: mean ± standard deviation of the loss with the highest mean.
Cell InductiveBiasCell(const Selection& selection, const std::string& language,
                       const std::string& variant);
// Long validation: the maximum over all trials of all losses.
Cell ExpressivityCell(const Selection& selection, const std::string& language,
                      const std::string& variant);

}  // namespace flare::report

#endif  // FLARE_REPORT_MAIN_CELLS_H_
