#include <string>
#include <utility>

#include "flare/report/agreement.h"
#include "flare/report/paper.h"
#include "flare/report/paper_runs.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

using ScoreOfCell = std::optional<BestScore> (PaperRuns::*)(const std::string&,
                                                            const std::string&) const;
using PaperCell = ComparedCell (*)(const std::string& language, const std::string& architecture);

ComparedCell PaperBias(const std::string& language, const std::string& architecture) {
  const PaperMean paper = *PaperInductiveBias(language, architecture);
  return {.paper = paper.mean, .paper_spread = paper.std};
}

ComparedCell PaperPower(const std::string& language, const std::string& architecture) {
  return {.paper = *PaperExpressivity(language, architecture)};
}

// For languages where all of the paper's architectures have a score: dealing scores out among
// architectures, and asking for the best, needs all of them.
ComparedCells CellsOf(const PaperRuns& runs, ScoreOfCell score_of, PaperCell paper_cell) {
  ComparedCells cells;
  for (const std::string& language : runs.languages()) {
    std::vector<ComparedCell> compared;
    for (const char* architecture : kPaperArchitectures) {
      const auto ours = (runs.*score_of)(language, architecture);
      if (!ours) break;
      compared.push_back(paper_cell(language, architecture));
      compared.back().ours = ours->value;
      compared.back().format_only = runs.FormatOnly(language);
    }
    if (compared.size() == kPaperArchitectures.size()) cells.push_back(std::move(compared));
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
  const PaperRuns runs(selection);
  AddRows("Inductive bias",
          AgreementOf(CellsOf(runs, &PaperRuns::InductiveBias, PaperBias), "inductive_bias", false),
          table);
  AddRows("Expressivity",
          AgreementOf(CellsOf(runs, &PaperRuns::Expressivity, PaperPower), "expressivity", true),
          table);
  table.notes = {
      "Languages count of which all of the paper's architectures have a score. 95 %: percentile "
      "bootstrap over n languages. Of chance: n random deals; p: how often one of them is as good "
      "as ours, or better.",
      "Maxima grow with the number of runs, so that of expressivity only the order is compared."};
  return table;
}

}  // namespace flare::report
