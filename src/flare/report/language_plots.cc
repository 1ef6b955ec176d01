#include "flare/report/language_plots.h"

#include <cmath>
#include <utility>

#include "flare/report/captions.h"
#include "flare/report/titles.h"

namespace flare::report {
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
  std::size_t others = 0;
  for (const RunFigures& run : runs) {
    Series series{.title = study.Title(run.run->cohort),
                  .color = PlotColor(run.run->cohort, others),
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

std::vector<Series::Point> Training(const RunFigures& run) {
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
                          .series = SeriesOf(study, runs, false, Training),
                          .vertical_lines = {},
                          .horizontal_lines = {kHalf}});
  return plots;
}

}  // namespace flare::report
