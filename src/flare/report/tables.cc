#include "flare/report/tables.h"

#include <utility>

#include "flare/report/run_files.h"

namespace flare::report {
namespace {

template <Table (*kMake)(const Selection&)>
std::vector<Table> OneTable(const Selection& selection, RunFiles&) {
  return {kMake(selection)};
}

}  // namespace

const std::vector<TableKind>& TableCatalogue() {
#define FLARE_TABLE(name, function) {name, OneTable<function>},
#define FLARE_TABLES(name, function) {name, function},
  static const std::vector<TableKind> kinds = {FLARE_REPORT_TABLES(FLARE_TABLE, FLARE_TABLES)};
#undef FLARE_TABLE
#undef FLARE_TABLES
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
