#include "flare/report/axis_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "flare/report/names.h"
#include "flare/report/statistics.h"

namespace flare::report {
namespace {

// Values that span this much are shown by their logarithms.
constexpr double kWideSpan = 20;

// The mean at every value that has a run; its title says of how many trials.
Series AxisSeries(const Selection& selection, const AxisCurve& curve, const std::string& language,
                  const std::string& loss, const std::string& validation) {
  Series series;
  std::set<std::size_t> trials;
  for (const AxisCurve::Point& point : curve.points) {
    const RunGroup* group =
        selection.Find(language, point.cohort, loss, validation, selection.sweep().MainBudget());
    if (group == nullptr) continue;
    const std::vector<double> accuracies = group->TestAccuracies();
    if (accuracies.empty()) continue;
    const auto [low, high] = std::minmax_element(accuracies.begin(), accuracies.end());
    series.points.push_back({point.value, Mean(accuracies), *low, *high});
    trials.insert(accuracies.size());
  }
  if (trials.empty()) return series;
  const std::size_t least = *trials.begin(), most = *trials.rbegin();
  series.title = curve.title;
  if (selection.sweep().axes.losses.size() > 1) series.title += ", " + LossTitle(loss);
  if (selection.sweep().axes.validations.size() > 1) series.title += ", " + validation;
  series.title +=
      least == most ? fmt::format(" (n = {})", most) : fmt::format(" (n = {} to {})", least, most);
  return series;
}

}  // namespace

Plot AxisPlot(const Selection& selection, const NumericAxis& axis, const std::string& language) {
  const Sweep& sweep = selection.sweep();
  const std::vector<double> values = axis.Values();
  Plot plot{.title = LanguageTitle(language),
            .x_title = axis.setting,
            .y_title = "accuracy",
            .series = {},
            .vertical_lines = {},
            .horizontal_lines = {},
            .most_y = 1,
            .logarithmic_x = values.front() > 0 && values.back() / values.front() >= kWideSpan};
  std::size_t others = 0;
  for (const AxisCurve& curve : axis.curves) {
    for (const std::string& loss : sweep.axes.losses) {
      for (const std::string& validation : sweep.axes.validations) {
        Series series = AxisSeries(selection, curve, language, loss, validation);
        if (series.points.empty()) continue;
        // Every series has a colour of its own, so none is an architecture's.
        series.color = PlotColor("", others);
        plot.series.push_back(std::move(series));
      }
    }
  }
  return plot;
}

}  // namespace flare::report
