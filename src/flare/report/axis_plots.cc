#include "flare/report/axis_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "flare/report/statistics.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

// Values that span this much are shown by their logarithms.
constexpr double kWideSpan = 20;

// The mean at every value that has a run. Adds how many trials it is of.
Series AxisSeries(const Selection& selection, const AxisCurve& curve, const std::string& language,
                  const std::string& loss, const std::string& validation,
                  std::set<std::size_t>& trials) {
  Series series;
  for (const AxisCurve::Point& point : curve.points) {
    const RunGroup* group =
        selection.Find(language, point.cohort, loss, validation, selection.study().MainBudget());
    if (group == nullptr) continue;
    const std::vector<double> accuracies = group->TestAccuracies();
    if (accuracies.empty()) continue;
    const auto [low, high] = std::minmax_element(accuracies.begin(), accuracies.end());
    series.points.push_back({point.value, Mean(accuracies), *low, *high});
    trials.insert(accuracies.size());
  }
  return series;
}

// " (n = 4)", or " (n = 1 to 4)" if some points have fewer.
std::string TrialsText(const std::set<std::size_t>& trials) {
  if (trials.empty()) return "";
  return trials.size() == 1 ? fmt::format(" (n = {})", *trials.begin())
                            : fmt::format(" (n = {} to {})", *trials.begin(), *trials.rbegin());
}

}  // namespace

Plot AxisPlot(const Selection& selection, const NumericAxis& axis, const std::string& language) {
  const Study& study = selection.study();
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
  std::set<std::size_t> trials;
  for (const AxisCurve& curve : axis.curves) {
    for (const std::string& loss : study.axes.losses) {
      for (const std::string& validation : study.axes.validations) {
        Series series = AxisSeries(selection, curve, language, loss, validation, trials);
        if (series.points.empty()) continue;
        series.title = curve.title;
        if (study.axes.losses.size() > 1) series.title += ", " + LossTitle(loss);
        if (study.axes.validations.size() > 1) series.title += ", " + validation;
        // Every series has a colour of its own, so none is an architecture's.
        series.color = PlotColor("", others);
        plot.series.push_back(std::move(series));
      }
    }
  }
  plot.title += TrialsText(trials);
  return plot;
}

}  // namespace flare::report
