// The tables of a report. Each has a file of its own, a declaration here and a line in the
// catalogue (tables.cc); then it is written, on the page, and asked for in
// docs/reference/report.md.

#ifndef FLARE_REPORT_TABLES_H_
#define FLARE_REPORT_TABLES_H_

#include <string>
#include <vector>

#include "flare/report/numeric_axes.h"
#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

class RunFiles;

// A score with what is published beside it.
Cell ScoreCell(const Selection& selection, const ReportColumn& column, const std::string& language,
               const std::string& variant);

// The scores of every language and architecture in the columns of the study, and what knowing the
// format alone gives.
Table MainTable(const Selection& selection);
// The same, a row per language and architecture, with losses and all baselines.
Table MainLongTable(const Selection& selection);
// How far each of them is from what is published, and from what knowing the format gives.
Table ComparisonTable(const Selection& selection);
// The losses behind the main table; all of them where they tie.
Table BestLossTable(const Selection& selection);
// Every architecture, loss and validation set of a language.
Table FullTable(const Selection& selection, const std::string& language);
// The highest accuracy per budget, with the first loss and the last column's validation set.
Table ModelSizesTable(const Selection& selection);
// What theory excludes and what was learned, languages grouped by class.
Table PredictedTable(const Selection& selection);
// Of the wrong answers of the best runs, how many are on strings with the right format.
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

struct TableKind {
  const char* name;  // of its files; a part in capitals stands for what the grid has
  // Those of the kind. One without rows has nothing to say, and is left out.
  std::vector<Table> (*make)(const Selection& selection, RunFiles& files);
};

// In the order of the page.
const std::vector<TableKind>& TableCatalogue();

// All that have rows, with the study's note; besides FullTable() of every language.
std::vector<Table> MakeTables(const Selection& selection, RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_TABLES_H_
