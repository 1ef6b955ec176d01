#include <fmt/format.h>

#include <algorithm>

#include "flare/report/comparable.h"
#include "flare/report/judgement.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"

namespace flare::report {

Table ModelSizesTable(const Selection& selection) {
  const Study& study = selection.study();
  std::vector<std::uint64_t> budgets = study.axes.budgets;
  std::sort(budgets.begin(), budgets.end());
  Table table;
  table.name = "model-sizes";
  table.caption =
      "Maximum accuracy on the long test set by number of parameters; recognition loss alone, long "
      "validation set.";
  table.columns.push_back({"language", "Language", "", true});
  for (const std::string& variant : study.Variants()) {
    for (const std::size_t budget : budgets) {
      table.columns.push_back(
          {fmt::format("{}_{}", variant, budget), BudgetTitle(budget), study.ShortTitle(variant)});
    }
  }
  bool compared = false;
  for (const std::string& language : study.axes.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const std::string& variant : study.Variants()) {
      const auto main = selection.Expressivity(language, variant);
      for (const std::size_t budget : budgets) {
        Cell cell;
        if (const RunGroup* group = selection.Find(language, variant, "rec", "long", budget)) {
          const std::vector<double> accuracies = group->TestAccuracies();
          if (!accuracies.empty()) {
            cell = Cell::Number(*std::max_element(accuracies.begin(), accuracies.end()));
            cell.bold = main && budget > study.MainBudget() && cell.value > main->value + 0.01;
          }
          cell.coverage.emplace().Add(*group);
        }
        cell.paper = ComparableModelSize(study, language, variant, budget);
        compared |= cell.paper.has_value();
        cell.judged = CanBeJudged(cell, kPaperModelSizeRuns);
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      fmt::format("Bold: larger than {} and more than 0.01 above Expressivity in our main table.",
                  BudgetTitle(study.MainBudget())));
  if (compared) {
    table.notes.push_back(
        fmt::format("Without a mark: a lower maximum than the paper's, which is of {} runs, says "
                    "nothing before there are as many.",
                    kPaperModelSizeRuns));
  }
  return table;
}

}  // namespace flare::report
