#include <string>
#include <utility>

#include "flare/report/agreement.h"
#include "flare/report/main_cells.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

using MainCell = Cell (*)(const Selection&, const std::string& language,
                          const std::string& variant);

// Of languages of which all of the paper's architectures have a score: to deal scores out among
// architectures, and to ask for the best, takes all of them.
ComparedCells CellsOf(const Selection& selection, MainCell cell_of) {
  const Sweep& sweep = selection.sweep();
  ComparedCells cells;
  for (const std::string& language : sweep.axes.languages) {
    const Baselines* baselines = sweep.FindBaselines(language);
    std::vector<ComparedCell> compared;
    bool complete = true;
    for (const std::string& variant : sweep.Variants()) {
      const Cell cell = cell_of(selection, language, variant);
      if (!cell.paper) continue;
      complete &= cell.kind == Cell::Kind::kNumber;
      compared.push_back(
          {.ours = cell.value,
           .paper = *cell.paper,
           .paper_spread = cell.paper_spread,
           .format_only = baselines != nullptr ? baselines->format_only : std::nullopt});
    }
    if (complete && !compared.empty()) cells.push_back(std::move(compared));
  }
  return cells;
}

void AddRows(const std::string& experiment, const std::vector<AgreementRow>& rows, Table& table) {
  for (const AgreementRow& agreement : rows) {
    bool first = true;
    for (const ChanceRow& chance : agreement.chance) {
      Row row;
      row.rule_above = first && !table.rows.empty();
      row.cells.resize(table.columns.size());
      if (first) {
        Cell interval;
        interval.decimals = agreement.decimals;
        interval.interval = agreement.interval;
        row.cells = {Cell::Text(experiment), Cell::Text(agreement.statistic),
                     Cell::Number(agreement.ours, agreement.decimals), interval,
                     Cell::Number(static_cast<double>(agreement.cells), 0)};
        row.cells.resize(table.columns.size());
      }
      row.cells[5] = Cell::Text(chance.what);
      row.cells[6] = Cell::Number(chance.value, agreement.decimals);
      row.cells[7].decimals = agreement.decimals;
      row.cells[7].interval = chance.range;
      row.cells[8] = Cell::Maybe(chance.p, 4);
      table.rows.push_back(std::move(row));
      first = false;
    }
  }
}

}  // namespace

Table AgreementTable(const Selection& selection) {
  Table table;
  table.name = "agreement";
  table.caption =
      "Agreement with the paper, beside what chance and simple predictors give on the same cells.";
  table.columns = {{"experiment", "Experiment", "", true},
                   {"statistic", "Statistic", "", true},
                   {"ours", "Ours", ""},
                   {"ours_interval", "95 %", ""},
                   {"cells", "Cells", ""},
                   {"chance", "Instead of ours", "Beside", true},
                   {"chance_value", "Value", "Beside"},
                   {"chance_range", "95 % of chance", "Beside"},
                   {"p", "p", "Beside"}};
  AddRows("Inductive bias",
          AgreementOf(CellsOf(selection, InductiveBiasCell), "inductive_bias", false), table);
  AddRows("Expressivity", AgreementOf(CellsOf(selection, ExpressivityCell), "expressivity", true),
          table);
  table.notes = {
      "Languages count of which all of the paper's architectures have a score. 95 %: percentile "
      "bootstrap over n languages. Of chance: n random deals; p: how often one of them is as good "
      "as ours, or better.",
      "Maxima grow with the number of runs, so that of expressivity only the order is compared."};
  return table;
}

}  // namespace flare::report
