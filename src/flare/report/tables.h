// The tables of a report, one file each.

#ifndef FLARE_REPORT_TABLES_H_
#define FLARE_REPORT_TABLES_H_

#include <string>
#include <vector>

#include "flare/report/numeric_axes.h"
#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

class RunFiles;

// Inductive bias and expressivity per language and architecture, the paper's values next to ours,
// and what knowing the format alone gives (paper, Table 2).
Table MainTable(const Selection& selection);
// The same, a row per language and architecture, with losses and all baselines.
Table MainLongTable(const Selection& selection);
// How far each of them is from the paper's, and from what knowing the format gives.
Table ComparisonTable(const Selection& selection);
// The losses behind the main table; all of them where they tie (paper, Table 3).
Table BestLossTable(const Selection& selection);
// Every architecture, loss and validation set of a language (paper, Appendix G).
Table FullTable(const Selection& selection, const std::string& language);
// The highest accuracy with recognition alone and long validation, per budget (paper, Table 22).
Table ModelSizesTable(const Selection& selection);
// What theory excludes and what was learned, languages grouped by class.
Table PredictedTable(const Selection& selection);
// Of the wrong answers of the best runs, how many are on strings with the right format (paper, §5).
Table WrongAnswersTable(const Selection& selection, const std::vector<std::string>& languages);
// Accuracy by a setting that the grid varies over numbers.
Table AxisTable(const Selection& selection, const NumericAxis& axis);
// Test splits beside those that other tables show, as MLRegTest's or ones of your own; no rows if
// the data has none.
Table TestSplitsTable(const Selection& selection);
// Epochs, speed and core hours per architecture.
Table CostTable(const Selection& selection);
// What the networks that figures show have learned; no rows if nobody has asked them.
Table LearnedTable(const Selection& selection, RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_TABLES_H_
