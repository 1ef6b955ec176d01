#include "flare/report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "flare/report/statistics.h"
#include "flare/report/titles.h"

namespace flare::report {

RunFigures ReadRunFigures(const StudyRun& run, RunFiles& files) {
  return {.run = &run,
          .lengths = files.Lengths(run),
          .edits = files.Examples(run, "test-edit-distance"),
          .training = files.Curve(run)};
}

std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files) {
  std::vector<RunFigures> all;
  for (const std::string& variant : selection.study().Variants()) {
    const StudyRun* run = selection.ForFigures(language, variant, Choice::kByTest);
    if (run != nullptr) all.push_back(ReadRunFigures(*run, files));
  }
  return all;
}

namespace {

const std::pair<double, std::string> kHalf{std::log(2.0), "log 2: ↑ wrong"};

std::vector<double> LinesAt(const Study& study, const std::string& language) {
  std::vector<double> lines;
  for (const std::size_t length : SeenLengths(study, language)) {
    lines.push_back(static_cast<double>(length));
  }
  return lines;
}

// A series per run that points(run) gives any of.
template <class Points>
std::vector<Series> SeriesOf(const Study& study, const std::vector<RunFigures>& runs, bool as_dots,
                             Points points) {
  std::vector<Series> all;
  const std::map<std::string, Look> looks = LooksOf(study.Variants());
  for (const RunFigures& run : runs) {
    Series series{.title = study.Title(run.run->family),
                  .look = looks.at(run.run->family),
                  .points = points(run),
                  .as_dots = as_dots};
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

std::vector<Series::Point> CrossEntropies(const RunFigures& run) {
  std::vector<Series::Point> points;
  for (const LengthPoint& p : run.lengths) {
    points.push_back({static_cast<double>(p.length), p.cross_entropy,
                      p.cross_entropy - p.cross_entropy_std,
                      p.cross_entropy + p.cross_entropy_std});
  }
  return points;
}

std::vector<Series::Point> Accuracies(const RunFigures& run) {
  std::vector<Series::Point> points;
  for (const LengthPoint& p : run.lengths) {
    points.push_back({static_cast<double>(p.length), p.accuracy, p.accuracy, p.accuracy});
  }
  return points;
}

std::vector<Series::Point> Edits(const RunFigures& run) {
  std::vector<Series::Point> points;
  for (const ExampleRow& e : run.edits) {
    if (!e.edit_distance) continue;
    const double ce = e.cross_entropy;
    points.push_back({static_cast<double>(*e.edit_distance), ce, ce, ce});
  }
  return points;
}

std::vector<Series::Point> TrainingPoints(const RunFigures& run) {
  std::vector<Series::Point> points;
  for (const CurvePoint& p : run.training) {
    const double ce = p.checkpoint.cross_entropy;
    points.push_back({static_cast<double>(p.checkpoint.epoch), ce, ce, ce});
  }
  return points;
}

}  // namespace

std::map<std::string, Plot> LanguagePlots(const Study& study, const std::string& language,
                                          const std::vector<RunFigures>& runs) {
  const std::vector<double> seen = LinesAt(study, language);
  std::map<std::string, Plot> plots;
  const auto add = [&](const char* kind, Plot plot) {
    plot.title = LanguageTitle(language);
    if (!plot.series.empty()) plots.emplace(kind, std::move(plot));
  };
  add("cross-entropy-vs-length", {.title = "",
                                  .x_title = "length",
                                  .y_title = "cross-entropy",
                                  .series = SeriesOf(study, runs, false, CrossEntropies),
                                  .vertical_lines = seen,
                                  .horizontal_lines = {kHalf}});
  add("accuracy-vs-length", {.title = "",
                             .x_title = "length",
                             .y_title = "accuracy",
                             .series = SeriesOf(study, runs, false, Accuracies),
                             .vertical_lines = seen,
                             .horizontal_lines = {},
                             .most_y = 1});
  add("edit-distance", {.title = "",
                        .x_title = "edit distance",
                        .y_title = "cross-entropy",
                        .series = SeriesOf(study, runs, true, Edits),
                        .vertical_lines = {},
                        .horizontal_lines = {kHalf}});
  add("training-curves", {.title = "",
                          .x_title = "epoch",
                          .y_title = "validation cross-entropy",
                          .series = SeriesOf(study, runs, false, TrainingPoints),
                          .vertical_lines = {},
                          .horizontal_lines = {kHalf}});
  return plots;
}

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
    const std::vector<double> accuracies = group->Scores();
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
  std::set<std::size_t> trials;
  for (const AxisCurve& curve : axis.curves) {
    for (const std::string& loss : study.axes.losses) {
      for (const std::string& validation : study.axes.validations) {
        Series series = AxisSeries(selection, curve, language, loss, validation, trials);
        if (series.points.empty()) continue;
        series.title = curve.title;
        if (study.axes.losses.size() > 1) series.title += ", " + LossTitle(loss);
        if (study.axes.validations.size() > 1) series.title += ", " + validation;
        // A curve is of several variants.
        series.look = LookAt(plot.series.size());
        plot.series.push_back(std::move(series));
      }
    }
  }
  plot.title += TrialsText(trials);
  return plot;
}

}  // namespace flare::report
