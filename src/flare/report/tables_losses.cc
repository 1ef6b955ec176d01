#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {

Table BestLossTable(const Selection& selection) {
  const Study& study = selection.study();
  Table table;
  table.name = "best-loss";
  if (study.axes.losses.size() < 2) return table;
  table.caption =
      "The losses behind the main table; all of them where they tie. R = recognition, LM = "
      "language modeling, NS = next-symbol prediction.";
  table.columns.push_back({"language", "Language", "", true});
  for (const ReportColumn& column : study.columns) {
    for (const std::string& variant : study.Variants()) {
      table.columns.push_back(
          {column.name + "_" + variant, study.ShortTitle(variant), column.title, false, variant});
    }
  }
  bool compared = false;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const ReportColumn& column : study.columns) {
      for (const std::string& variant : study.Variants()) {
        const auto best = selection.Score(column, language, variant);
        Cell cell = best ? Cell::Text(LossTitles(best->losses)) : Cell();
        const PublishedValue* published =
            study.FindPublished(column.name, language, variant, column.budget);
        const std::string theirs = published != nullptr ? published->loss : "";
        if (!theirs.empty()) cell.published_text = LossTitle(theirs);
        compared |= !theirs.empty();
        cell.agrees = best && std::find(best->losses.begin(), best->losses.end(), theirs) !=
                                  best->losses.end();
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (compared) {
    table.notes.push_back(
        fmt::format("Beside ours, the published loss ({}); it agrees if it is among ours.",
                    study.PublishedLabel()));
  }
  return table;
}

Table ModelSizesTable(const Selection& selection) {
  const Study& study = selection.study();
  std::vector<std::size_t> budgets = study.axes.budgets;
  std::sort(budgets.begin(), budgets.end());
  const std::string& loss = study.axes.losses[0];
  const std::string& validation = study.MainValidation();
  const ReportColumn main_column = study.BestColumn();
  Table table;
  table.name = "model-sizes";
  if (budgets.size() < 2) return table;
  const ReportMetric& metric = study.metric;
  table.caption =
      fmt::format("{} {} on the test set by number of parameters; the loss {}, validation on {}.",
                  metric.higher_is_better ? "Maximum" : "Minimum", metric.title, LossTitle(loss),
                  LengthsText(study, ValidationSplit(validation)));
  table.columns.push_back({"language", "Language", "", true});
  for (const std::string& variant : study.Variants()) {
    for (const std::size_t budget : budgets) {
      table.columns.push_back(
          {fmt::format("{}_{}", variant, budget), BudgetTitle(budget), study.ShortTitle(variant)});
    }
  }
  std::size_t published_runs = 0;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const std::string& variant : study.Variants()) {
      const auto main = selection.Score(main_column, language, variant);
      for (const std::size_t budget : budgets) {
        Cell cell;
        const RunGroup* group = selection.Find(language, variant, loss, validation, budget);
        if (group != nullptr) {
          const std::vector<double> scores = group->Scores();
          if (!scores.empty()) {
            const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
            cell = Cell::Number(metric.higher_is_better ? *most : *least, metric.decimals);
            const double gain = main ? cell.value - main->value : 0;
            cell.bold =
                budget > study.MainBudget() && (metric.higher_is_better ? gain : -gain) > 0.01;
          }
          cell.coverage.emplace().Add(*group);
        }
        const PublishedValue* published = study.FindPublished("max", language, variant, budget);
        if (published != nullptr && (published->loss.empty() || published->loss == loss)) {
          cell.published = published->value;
          published_runs = std::max(published_runs, published->runs);
          cell.judged = CanBeJudged(cell, published);
        }
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      fmt::format("Bold: larger than {0} and better than our best run of {0}, of all losses, by "
                  "more than 0.01.",
                  BudgetTitle(study.MainBudget())));
  if (published_runs > 0) {
    table.notes.push_back(
        fmt::format("Without a mark: a maximum below the published one ({}), which is of {} runs, "
                    "says nothing before there are as many.",
                    study.PublishedLabel(), published_runs));
  }
  return table;
}

}  // namespace flare::report
