#include <fmt/format.h>

#include <string>
#include <utility>

#include "flare/report/names.h"
#include "flare/report/numeric_axes.h"
#include "flare/report/statistics.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

Cell AxisCell(const Selection& selection, const AxisCurve& curve, double value,
              const RunGroup& like) {
  for (const AxisCurve::Point& point : curve.points) {
    if (point.value != value) continue;
    const RunGroup* group =
        selection.Find(like.language, point.cohort, like.loss, like.validation, like.budget);
    if (group == nullptr) continue;
    Cell cell;
    const std::vector<double> accuracies = group->TestAccuracies();
    if (!accuracies.empty()) cell = Cell::Number(Mean(accuracies));
    if (accuracies.size() > 1) cell.spread = StandardDeviation(accuracies);
    cell.coverage.emplace().Add(*group);
    return cell;
  }
  return {};
}

}  // namespace

Table AxisTable(const Selection& selection, const NumericAxis& axis) {
  const Sweep& sweep = selection.sweep();
  Table table;
  table.name = "axis-" + axis.setting;
  table.caption = fmt::format(
      "Accuracy on the test set by {}: mean and standard deviation over trials.", axis.setting);
  table.columns = {{"language", "Language", "", true},
                   {"variant", "Model", "", true},
                   {"loss", "Loss", "", true},
                   {"validation", "Val. set", "", true}};
  const std::vector<double> values = axis.Values();
  for (const double value : values) {
    table.columns.push_back(
        {fmt::format("{}={:g}", axis.setting, value), fmt::format("{:g}", value), axis.setting});
  }
  for (const std::string& language : sweep.axes.languages) {
    for (const AxisCurve& curve : axis.curves) {
      for (const std::string& loss : sweep.axes.losses) {
        for (const std::string& validation : sweep.axes.validations) {
          const RunGroup like{language, "", loss, validation, sweep.MainBudget(), {}};
          Row row;
          row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(curve.title),
                       Cell::Text(LossTitle(loss)), Cell::Text(ValidationAbbreviation(validation))};
          for (const double value : values) {
            row.cells.push_back(AxisCell(selection, curve, value, like));
          }
          table.rows.push_back(std::move(row));
        }
      }
    }
  }
  return table;
}

}  // namespace flare::report
