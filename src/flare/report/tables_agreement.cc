#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/agreement.h"
#include "flare/report/paper.h"
#include "flare/report/paper_runs.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

// Ours of a language and an architecture, if there are runs for it.
using ScoreOfCell =
    std::function<std::optional<double>(const std::string& language, const std::string& variant)>;
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
ComparedCells CellsOf(const PaperRuns& runs, const ScoreOfCell& score_of, PaperCell paper_cell) {
  ComparedCells cells;
  for (const std::string& language : runs.languages()) {
    std::vector<ComparedCell> compared;
    for (const char* architecture : kPaperArchitectures) {
      const auto ours = score_of(language, architecture);
      if (!ours) break;
      compared.push_back(paper_cell(language, architecture));
      compared.back().ours = *ours;
      compared.back().format_only = runs.FormatOnly(language);
    }
    if (compared.size() == kPaperArchitectures.size()) cells.push_back(std::move(compared));
  }
  return cells;
}

// What is chosen from several runs counts only if it was from equally many of each architecture.
ScoreOfCell OfEqualRuns(const PaperRuns& runs,
                        std::optional<BestScore> (PaperRuns::*score_of)(const std::string&,
                                                                        const std::string&) const,
                        const std::string& validation) {
  return [=, &runs](const std::string& language,
                    const std::string& architecture) -> std::optional<double> {
    const std::vector<std::string> all(kPaperArchitectures.begin(), kPaperArchitectures.end());
    if (!runs.HaveEqualRuns(language, all, validation)) return std::nullopt;
    return (runs.*score_of)(language, architecture)->value;
  };
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
      row.cells[8] = Cell::Probability(chance.p);
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
  const auto add = [&](const char* experiment, const char* stream, const ScoreOfCell& score_of,
                       PaperCell paper_cell, bool only_order) {
    AddRows(experiment, AgreementOf(CellsOf(runs, score_of, paper_cell), stream, only_order),
            table);
  };
  add("Inductive bias", "inductive_bias", OfEqualRuns(runs, &PaperRuns::InductiveBias, "short"),
      PaperBias, false);
  add("Inductive bias, the paper's loss", "inductive_bias_papers_loss",
      std::bind_front(&PaperRuns::WithPapersLoss, &runs), PaperBias, false);
  add("Expressivity", "expressivity", OfEqualRuns(runs, &PaperRuns::Expressivity, "long"),
      PaperPower, true);
  table.notes = {
      "Languages count of which all of the paper's architectures have a score, chosen from equally "
      "many runs of every loss; for the best architecture, those of which the paper has one. 95 %: "
      "percentile bootstrap over n languages. Of chance: n random deals; p: how often one of them "
      "is as good as ours, or better.",
      "The paper's loss: our mean of the loss whose mean the paper prints, of however many runs. "
      "The best of several losses is the higher, by chance alone, the fewer trials each has; this "
      "is not chosen by our scores.",
      "Maxima grow with the number of runs, so that of expressivity only the order is compared."};
  return table;
}

}  // namespace flare::report
