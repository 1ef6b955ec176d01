#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/numeric_axes.h"
#include "flare/report/statistics.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"
#include "flare/report/trend.h"

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

// Trials are blocks: in a paired grid they have the same seed at every value.
std::optional<Trend> TrendAlong(const Selection& selection, const std::string& setting,
                                const AxisCurve& curve, const RunGroup& like) {
  std::map<std::size_t, TrendBlock> blocks;  // by trial
  for (const AxisCurve::Point& point : curve.points) {
    const RunGroup* group =
        selection.Find(like.language, point.cohort, like.loss, like.validation, like.budget);
    if (group == nullptr) continue;
    for (const Run* run : group->runs) {
      const auto accuracy = run->TestAccuracy();
      if (!accuracy) continue;
      blocks[run->at.trial].places.push_back(point.value);
      blocks[run->at.trial].scores.push_back(*accuracy);
    }
  }
  std::vector<TrendBlock> all;
  for (const auto& [trial, block] : blocks) all.push_back(block);
  return TrendOf(all, fmt::format("report/trend/{}/{}/{}/{}/{}", setting, curve.title,
                                  like.language, like.loss, like.validation));
}

// Fills the last three cells of each row that has a trend.
void AddTrends(const std::vector<std::optional<Trend>>& trends, Table& table) {
  std::vector<double> p_values;
  for (const auto& trend : trends) {
    if (trend) p_values.push_back(trend->p);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  std::size_t tested = 0;
  for (std::size_t i = 0; i < trends.size(); ++i) {
    std::vector<Cell>& cells = table.rows[i].cells;
    cells.resize(table.columns.size());
    if (!trends[i]) continue;
    Cell* last = &cells.back();
    last[-2] = Cell::Number(trends[i]->correlation);
    last[-1] = Cell::Probability(trends[i]->p);
    last[0] = Cell::Probability(adjusted[tested++]);
  }
}

}  // namespace

Table AxisTable(const Selection& selection, const NumericAxis& axis) {
  const Study& study = selection.study();
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
        {axis.setting + "=" + FormatExact(value), fmt::format("{:g}", value), axis.setting});
  }
  table.columns.push_back({"format_only", "Format", "Baseline"});
  table.columns.push_back({"trend", "Rank correlation", "Trend"});
  table.columns.push_back({"trend_p", "p", "Trend"});
  table.columns.push_back({"trend_p_adjusted", "Corrected", "Trend"});
  std::vector<std::optional<Trend>> trends;
  for (const std::string& language : study.axes.languages) {
    const Baselines* baselines = study.FindBaselines(language);
    const Cell format = baselines != nullptr ? Cell::Maybe(baselines->format_only) : Cell();
    for (const AxisCurve& curve : axis.curves) {
      for (const std::string& loss : study.axes.losses) {
        for (const std::string& validation : study.axes.validations) {
          const RunGroup like{language, "", loss, validation, study.MainBudget(), {}};
          Row row;
          row.cells = {Cell::Text(LanguageTitle(language)), Cell::Text(curve.title),
                       Cell::Text(LossTitle(loss)), Cell::Text(ValidationAbbreviation(validation))};
          for (const double value : values) {
            row.cells.push_back(AxisCell(selection, curve, value, like));
          }
          row.cells.push_back(format);
          table.rows.push_back(std::move(row));
          trends.push_back(TrendAlong(selection, axis.setting, curve, like));
        }
      }
    }
  }
  AddTrends(trends, table);
  table.notes = {
      fmt::format(
          "Trend: the mean over trials of the rank correlation between {} and accuracy; −1 where "
          "accuracy falls throughout. p: how often a trend as strong, in either direction, comes "
          "about if the accuracies of each trial are dealt out at random; corrected for the number "
          "of rows (Holm). Ranks count small differences like large ones, and a best value in the "
          "middle is no trend: that p is large does not say that {} does not matter.",
          axis.setting, axis.setting),
      "Format: accept whatever has the right format."};
  return table;
}

}  // namespace flare::report
