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

// "Accuracy": what the cells of tables are, at the beginning of a sentence.
std::string MetricTitle(const Study& study);

// The columns of trivial recognizers in a table: of those asked for, the ones that some language
// has. None if the metric is another than the accuracy.
class BaselineColumns {
 public:
  BaselineColumns(const Study& study, const std::vector<std::string>& keys);

  // Adds their columns, and to the caption what those are that the table's readers cannot guess.
  void AddHead(Table& table) const;
  void AddCells(const std::string& language, Row& row) const;

 private:
  struct Known {
    std::string key, title;
    std::optional<double> Baselines::*value;
  };

  const Study& study_;
  std::vector<Known> shown_;
};

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
// The metric by a setting that the grid varies over numbers.
Table AxisTable(const Selection& selection, const NumericAxis& axis);
// The least value of each such setting that reaches the study's bound.
Table LeastTable(const Selection& selection);
// The accuracies of the runs behind the main table in bins of lengths.
Table ByLengthTable(const Selection& selection, RunFiles& files);
// Means over the languages of each class, on every test split.
Table ByClassTable(const Selection& selection);
// For each theorem, which languages it excludes and which of those were learned all the same.
Table TheoryTable(const Selection& selection);
// Every figure of the test split, where runs have more than those of recognition.
Table MetricsTable(const Selection& selection);
// Every value of what the grid varies, and which of them validation chooses.
Table SettingsTable(const Selection& selection);
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
