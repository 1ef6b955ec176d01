#include "flare/report/tables.h"

#include <utility>

#include "flare/report/numeric_axes.h"
#include "flare/report/run_files.h"
#include "flare/report/score_maps.h"

namespace flare::report {
namespace {

// A table that needs nothing but the runs' scores.
template <Table (*kMake)(const Selection&)>
std::vector<Table> One(const Selection& selection, RunFiles&) {
  return {kMake(selection)};
}

std::vector<Table> WrongAnswers(const Selection& selection, RunFiles&) {
  return {WrongAnswersTable(selection, selection.study().axes.languages)};
}

std::vector<Table> LearnedTables(const Selection& selection, RunFiles& files) {
  return {LearnedTable(selection, files)};
}

std::vector<Table> ByLength(const Selection& selection, RunFiles& files) {
  return {ByLengthTable(selection, files)};
}

std::vector<Table> AxisTables(const Selection& selection, RunFiles&) {
  std::vector<Table> tables;
  for (const NumericAxis& axis : NumericAxesOf(selection.study())) {
    tables.push_back(AxisTable(selection, axis));
  }
  return tables;
}

}  // namespace

const std::vector<TableKind>& TableCatalogue() {
  static const std::vector<TableKind> kinds = {
      {"main", One<MainTable>},
      {"main-long", One<MainLongTable>},
      {"comparison", One<ComparisonTable>},
      {"best-loss", One<BestLossTable>},
      {"model-sizes", One<ModelSizesTable>},
      {"by-length", ByLength},
      {"predicted", One<PredictedTable>},
      {"theory", One<TheoryTable>},
      {"by-class", One<ByClassTable>},
      {"metrics", One<MetricsTable>},
      {"wrong-answers", WrongAnswers},
      {"cost", One<CostTable>},
      {"axis-SETTING", AxisTables},
      {"least", One<LeastTable>},
      {"settings", One<SettingsTable>},
      {"map-SETTING-by-AXIS", ScoreMapTables},
      {"test-splits", One<TestSplitsTable>},
      {"learned", LearnedTables},
  };
  return kinds;
}

std::vector<Table> MakeTables(const Selection& selection, RunFiles& files) {
  std::vector<Table> all;
  for (const TableKind& kind : TableCatalogue()) {
    for (Table& table : kind.make(selection, files)) {
      if (table.rows.empty()) continue;
      DropEmptyColumns(table);
      all.push_back(WithNoteOf(selection.study(), std::move(table)));
    }
  }
  return all;
}

}  // namespace flare::report
