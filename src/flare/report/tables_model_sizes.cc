#include <fmt/format.h>

#include <algorithm>

#include "flare/report/names.h"
#include "flare/report/paper.h"
#include "flare/report/tables.h"

namespace flare::report {

Table ModelSizesTable(const Selection& selection) {
  const Sweep& sweep = selection.sweep();
  std::vector<std::uint64_t> budgets = sweep.grid.budgets;
  std::sort(budgets.begin(), budgets.end());
  Table table;
  table.name = "model-sizes";
  table.caption =
      "Maximum accuracy on the long test set by number of parameters; recognition loss alone, long "
      "validation set.";
  table.columns.push_back({"language", "Language", "", true});
  for (const std::string& architecture : sweep.Architectures()) {
    for (const std::uint64_t budget : budgets) {
      table.columns.push_back({fmt::format("{}_{}", architecture, budget), BudgetTitle(budget),
                               ArchitectureAbbreviation(architecture)});
    }
  }
  for (const std::string& language : sweep.grid.languages) {
    Row row;
    row.cells.push_back(Cell::Text(LanguageTitle(language)));
    for (const std::string& architecture : sweep.Architectures()) {
      const auto main = selection.Expressivity(language, architecture);
      for (const std::uint64_t budget : budgets) {
        Cell cell;
        if (const RunGroup* group = selection.Find(language, architecture, "rec", "long", budget)) {
          const std::vector<double> accuracies = group->TestAccuracies();
          if (!accuracies.empty()) {
            cell = Cell::Number(*std::max_element(accuracies.begin(), accuracies.end()));
            cell.bold = main && budget > sweep.MainBudget() && cell.value > main->value + 0.01;
          }
          cell.coverage.emplace().Add(*group);
        }
        cell.paper = PaperModelSize(language, architecture, budget);
        row.cells.push_back(std::move(cell));
      }
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      fmt::format("Bold: larger than {} and more than 0.01 above Expressivity in our main table.",
                  BudgetTitle(sweep.MainBudget())));
  return table;
}

}  // namespace flare::report
