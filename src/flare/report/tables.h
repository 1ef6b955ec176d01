// The tables of a report. To add a table, write its function in a file of its own and add its line
// to FLARE_REPORT_TABLES: then the table is declared, written in every format and shown on the
// page, and a test asks for its name in docs/reference/report.md.

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

// Every table, in the order of the page: the name of its files, in which a part in capitals stands
// for what the grid has, and its function. TABLE is of functions that make one table of the runs'
// scores; TABLES is of those that make any number, or read files of runs. A table without rows has
// nothing to say, and is left out.
#define FLARE_REPORT_TABLES(TABLE, TABLES)      \
  TABLE("main", MainTable)                      \
  TABLE("main-long", MainLongTable)             \
  TABLE("comparison", ComparisonTable)          \
  TABLE("best-loss", BestLossTable)             \
  TABLE("model-sizes", ModelSizesTable)         \
  TABLES("by-length", ByLengthTables)           \
  TABLE("predicted", PredictedTable)            \
  TABLE("theory", TheoryTable)                  \
  TABLE("by-class", ByClassTable)               \
  TABLE("metrics", MetricsTable)                \
  TABLE("wrong-answers", WrongAnswersTable)     \
  TABLE("cost", CostTable)                      \
  TABLES("axis-SETTING", AxisTables)            \
  TABLE("least", LeastTable)                    \
  TABLE("settings", SettingsTable)              \
  TABLES("map-SETTING-by-AXIS", ScoreMapTables) \
  TABLE("test-splits", TestSplitsTable)         \
  TABLES("learned", LearnedTables)

#define FLARE_DECLARE_TABLE(name, function) Table function(const Selection& selection);
#define FLARE_DECLARE_TABLES(name, function) \
  std::vector<Table> function(const Selection& selection, RunFiles& files);
FLARE_REPORT_TABLES(FLARE_DECLARE_TABLE, FLARE_DECLARE_TABLES)
#undef FLARE_DECLARE_TABLE
#undef FLARE_DECLARE_TABLES

// Every architecture, loss and validation set of a language. A report has one per language.
Table FullTable(const Selection& selection, const std::string& language);
// The metric by one setting that the grid varies over numbers: one of AxisTables().
Table AxisTable(const Selection& selection, const NumericAxis& axis);
// WrongAnswersTable() of these languages only.
Table WrongAnswersTable(const Selection& selection, const std::vector<std::string>& languages);

struct TableKind {
  const char* name;
  std::vector<Table> (*make)(const Selection& selection, RunFiles& files);
};

// FLARE_REPORT_TABLES as values.
const std::vector<TableKind>& TableCatalogue();

// Makes all tables that have rows, with the study's note. FullTable() is not one of them.
std::vector<Table> MakeTables(const Selection& selection, RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_TABLES_H_
