#include "flare/report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "flare/report/by_length.h"
#include "flare/report/hierarchy.h"
#include "flare/report/latex.h"
#include "flare/report/predicted.h"
#include "flare/report/score_maps.h"
#include "flare/report/statistics.h"
#include "flare/report/titles.h"

namespace flare::report {

std::vector<RunFigures> ReadLanguageFigures(const Selection& selection, const std::string& language,
                                            RunFiles& files) {
  const Study& study = selection.study();
  const std::map<std::string, Look> looks = LooksOf(study.Variants());
  std::vector<RunFigures> all;
  for (const std::string& variant : study.Variants()) {
    const StudyRun* run = selection.ForFigures(language, variant, Choice::kByTest);
    if (run == nullptr) continue;
    all.push_back({.run = run,
                   .title = study.Title(variant),
                   .look = looks.at(variant),
                   .lengths = files.Lengths(*run),
                   .edits = files.Examples(*run, "test-edit-distance"),
                   .training = files.Curve(*run)});
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
std::vector<Series> SeriesOf(const std::vector<RunFigures>& runs, bool as_dots, Points points) {
  std::vector<Series> all;
  for (const RunFigures& run : runs) {
    Series series{run.title, run.look, points(run), as_dots};
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

std::vector<Series::Point> LossPoints(const RunFigures& run) {
  std::vector<Series::Point> points;
  for (const CurvePoint& p : run.training) {
    points.push_back({static_cast<double>(p.checkpoint.epoch), p.loss, p.loss, p.loss});
  }
  return points;
}

// Adds two plots along epochs: the validation cross-entropy of runs that recognize, the training
// loss of the others.
template <class Add>
void AddTrainingPlots(const std::vector<RunFigures>& runs, Add add) {
  std::vector<RunFigures> recognizers, others;
  for (const RunFigures& run : runs) {
    const bool recognizes = std::any_of(
        run.training.begin(), run.training.end(),
        [](const CurvePoint& point) { return std::isfinite(point.checkpoint.cross_entropy); });
    (recognizes ? recognizers : others).push_back(run);
  }
  add("training-curves", {.x_title = "epoch",
                          .y_title = "validation cross-entropy",
                          .series = SeriesOf(recognizers, false, TrainingPoints),
                          .horizontal_lines = {kHalf}});
  add("training-loss", {.x_title = "epoch",
                        .y_title = "training loss",
                        .series = SeriesOf(others, false, LossPoints)});
}

}  // namespace

Plots LanguagePlots(const Study& study, const std::string& language,
                    const std::vector<RunFigures>& runs) {
  const std::vector<double> seen = LinesAt(study, language);
  Plots plots;
  const auto add = [&](const std::string& kind, Plot plot) {
    plot.title = LanguageTitle(language);
    if (!plot.series.empty()) plots.emplace(kind, std::move(plot));
  };
  add("cross-entropy-vs-length", {.x_title = "length",
                                  .y_title = "cross-entropy",
                                  .series = SeriesOf(runs, false, CrossEntropies),
                                  .vertical_lines = seen,
                                  .horizontal_lines = {kHalf}});
  add("accuracy-vs-length", {.x_title = "length",
                             .y_title = "accuracy",
                             .series = SeriesOf(runs, false, Accuracies),
                             .vertical_lines = seen,
                             .most_y = 1});
  add("edit-distance", {.x_title = "edit distance",
                        .y_title = "cross-entropy",
                        .series = SeriesOf(runs, true, Edits),
                        .horizontal_lines = {kHalf}});
  AddTrainingPlots(runs, add);
  return plots;
}

namespace {

// " (n = 4)", or " (n = 1 to 4)" if some points have fewer.
std::string TrialsText(const std::set<std::size_t>& trials) {
  if (trials.empty()) return "";
  return trials.size() == 1 ? fmt::format(" (n = {})", *trials.begin())
                            : fmt::format(" (n = {} to {})", *trials.begin(), *trials.rbegin());
}

std::string Dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// An empty plot of an accuracy by length, with the longest string of training marked.
Plot EmptyLengthPlot(const Study& study, const std::string& language, const std::string& metric) {
  Plot plot{.title = LanguageTitle(language),
            .x_title = "length",
            .y_title = MetricNamed(metric, "").title,
            .most_y = 1};
  if (const auto trained = TrainedLength(study, language)) {
    plot.vertical_lines = {static_cast<double>(*trained)};
    plot.x_title += fmt::format(" (trained up to {})", *trained);
  }
  return plot;
}

// A point in the middle of every bin.
Series LengthSeries(const LengthCurve& curve, const std::vector<LengthBin>& bins,
                    const std::string& title, const Look& look) {
  Series series{title, look, {}, false};
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (!curve.mean[i]) continue;
    series.points.push_back({static_cast<double>(bins[i].least + bins[i].most) / 2, *curve.mean[i],
                             *curve.low[i], *curve.high[i]});
  }
  return series;
}

}  // namespace

Plots LengthPlots(const Selection& selection, const std::string& language, RunFiles& files) {
  const Study& study = selection.study();
  const std::vector<LengthBin> bins = LengthBinsOf(study, language);
  const std::map<std::string, Look> looks = LooksOf(study.Variants());
  const bool many = study.axes.validations.size() > 1;
  Plots plots;
  std::map<std::string, std::set<std::size_t>> trials;  // by kind
  for (const LengthCurve& curve : LengthCurvesOf(selection, language, files)) {
    const std::string kind = fmt::format("{}-by-length{}", Dashed(curve.metric),
                                         many ? "-" + FileStem(curve.validation) : "");
    const auto [at, is_new] = plots.try_emplace(kind);
    if (is_new) {
      at->second = EmptyLengthPlot(study, language, curve.metric);
      if (many) at->second.title += ", validation " + curve.validation;
    }
    at->second.series.push_back(
        LengthSeries(curve, bins, study.Title(curve.family), looks.at(curve.family)));
    trials[kind].insert(curve.runs);
  }
  for (auto& [kind, plot] : plots) plot.title += TrialsText(trials[kind]);
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

}  // namespace

Plot AxisPlot(const Selection& selection, const NumericAxis& axis, const std::string& language) {
  const Study& study = selection.study();
  const std::vector<double> values = axis.Values();
  Plot plot{.title = LanguageTitle(language),
            .x_title = axis.setting,
            .y_title = study.metric.title,
            .most_y = study.metric.is_share ? 1.0 : 0.0,
            .logarithmic_x = values.front() > 0 && values.back() / values.front() >= kWideSpan};
  std::set<std::size_t> trials;
  const std::map<std::string, Look> looks = LooksOf(study.Variants());
  std::map<std::string, std::size_t> drawn;  // by variant
  for (const AxisCurve& curve : axis.curves) {
    for (const std::string& loss : study.axes.losses) {
      for (const std::string& validation : study.axes.validations) {
        Series series = AxisSeries(selection, curve, language, loss, validation, trials);
        if (series.points.empty()) continue;
        series.title = curve.title;
        if (study.axes.losses.size() > 1) series.title += ", " + LossTitle(loss);
        if (study.axes.validations.size() > 1) series.title += ", " + validation;
        const std::string& family = study.FamilyOf(curve.points[0].cohort);
        series.look = LookAgain(looks.at(family), drawn[family]++);
        plot.series.push_back(std::move(series));
      }
    }
  }
  plot.title += TrialsText(trials);
  return plot;
}

namespace {

// Names of runs for a legend, in the order of the study: those of their directories, or, where two
// have the same, their paths from where they part.
std::vector<std::string> NamesOf(const std::vector<StudyRun>& runs) {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;  // without a slash at their end
  std::map<fs::path, std::size_t> times;
  for (const StudyRun& run : runs) {
    paths.push_back((run.path / "").lexically_normal().parent_path());
    ++times[paths.back().filename()];
  }
  fs::path folder = paths.at(0).parent_path();
  const auto holds = [&](const fs::path& path) {
    const fs::path below = path.lexically_relative(folder);
    return !below.empty() && *below.begin() != "..";
  };
  while (folder.has_relative_path() && !std::all_of(paths.begin(), paths.end(), holds)) {
    folder = folder.parent_path();
  }
  std::vector<std::string> names;
  for (const fs::path& path : paths) {
    const fs::path name = times[path.filename()] == 1 ? path.filename()
                          : holds(path)               ? path.lexically_relative(folder)
                                                      : path;
    names.push_back(name.string());
  }
  return names;
}

}  // namespace

Plots PlotsOfRuns(const Study& study, RunFiles& files) {
  const std::vector<std::string> names = NamesOf(study.runs);
  const std::map<std::string, std::string> stems = FileStems(study.axes.languages);
  Plots plots;
  for (const std::string& language : study.axes.languages) {
    const std::string before = stems.size() > 1 ? stems.at(language) + "-" : "";
    std::vector<RunFigures> runs;
    for (std::size_t i = 0; i < study.runs.size(); ++i) {
      const StudyRun& run = study.runs[i];
      if (run.at.language != language) continue;
      runs.push_back({.run = &run,
                      .title = fmt::format("{} ({})", names[i], study.Title(run.cohort)),
                      .look = LookAt(runs.size()),
                      .training = files.Curve(run)});
    }
    AddTrainingPlots(runs, [&](const char* kind, Plot plot) {
      plot.title = LanguageTitle(language);
      if (!plot.series.empty()) plots.emplace(before + kind, std::move(plot));
    });
    for (const RunFigures& run : runs) {
      const RunGroup group{language,           run.run->cohort,
                           run.run->at.loss,   run.run->at.validation,
                           run.run->at.budget, {run.run}};
      std::vector<LengthBin> bins = LengthBinsOf(study, language);
      if (bins.empty()) bins = LengthBinsOf(files.ByLength(*run.run));
      for (const std::string& metric : MetricsByLength(study, group)) {
        const LengthCurve curve = LengthCurveOf(group, metric, bins, files);
        if (curve.runs == 0) continue;
        const auto [at, is_new] =
            plots.try_emplace(fmt::format("{}{}-by-length", before, Dashed(metric)));
        if (is_new) at->second = EmptyLengthPlot(study, language, metric);
        at->second.series.push_back(LengthSeries(curve, bins, run.title, run.look));
      }
    }
  }
  return plots;
}

namespace {

const std::filesystem::path kFigures = "figures";

void WriteDrawing(const Canvas& canvas, const std::string& place, OutputFolder& out) {
  out.Write(kFigures / (place + ".svg"), canvas.Svg());
  out.Write(kFigures / (place + ".tex"), canvas.Tikz());
}

// Writes a plot as SVG, and as pgfplots with its data.
void WritePlot(const Plot& plot, const std::string& place, OutputFolder& out) {
  out.Write(kFigures / (place + ".svg"), DrawPlot(plot).Svg());
  const PgfPlot pgf = FormatPgf(plot, place);
  out.Write(kFigures / (place + ".tex"), pgf.tex);
  for (const auto& [file, text] : pgf.data) out.Write(kFigures / file, text);
}

}  // namespace

std::map<std::string, std::vector<std::string>> WriteFigures(const Selection& selection,
                                                             RunFiles& files, OutputFolder& out) {
  const Study& study = selection.study();
  std::map<std::string, std::vector<std::string>> by_length;
  const std::map<std::string, std::string> stems = FileStems(study.axes.languages);
  std::map<std::string, std::vector<std::string>> drawn;  // by kind
  const auto write = [&](const std::string& kind, const std::string& language, const Plot& plot) {
    WritePlot(plot, kind + "/" + stems.at(language), out);
    drawn[kind].push_back(stems.at(language));
  };
  const std::vector<NumericAxis> axes = NumericAxesOf(study);
  for (const std::string& language : study.axes.languages) {
    const std::vector<RunFigures> runs = ReadLanguageFigures(selection, language, files);
    for (const auto& [kind, plot] : LanguagePlots(study, language, runs)) {
      write(kind, language, plot);
    }
    for (const auto& [kind, plot] : LengthPlots(selection, language, files)) {
      write(kind, language, plot);
      by_length[language].push_back(kind + "/" + stems.at(language));
    }
    for (const NumericAxis& axis : axes) {
      const Plot plot = AxisPlot(selection, axis, language);
      if (!plot.series.empty()) write("axis-" + axis.setting, language, plot);
    }
  }
  for (const ScoreMap& map : ScoreMapsOf(selection, files)) {
    WriteDrawing(DrawHeatMap(map), map.place, out);
    drawn["map-" + map.kind].push_back(std::filesystem::path(map.place).filename().string());
  }
  WriteDrawing(DrawHierarchy(selection), "hierarchy", out);
  out.Write(kFigures / "predicted.svg", DrawPredicted(selection).Svg());
  std::string all =
      "% All figures on their own: pdflatex all.tex in this folder.\n"
      "\\documentclass{article}\n\\usepackage[margin=2cm]{geometry}\n\\usepackage{pgfplots}\n"
      "\\usepgfplotslibrary{fillbetween}\n"
      "\\pgfplotsset{compat=1.16, width=5.8cm, height=4.4cm, label style={font=\\scriptsize}}\n"
      "\\newcommand{\\flarefigures}{.}\n\\setlength{\\parindent}{0pt}\\raggedright\n\\begin{"
      "document}\n"
      "\\section*{Languages with a perfect model}\n\\input{hierarchy}\n";
  for (const auto& [kind, languages] : drawn) {
    all += fmt::format("\\section*{{{}}}\n", LatexEscaped(kind));
    for (const std::string& stem : languages) all += fmt::format("\\input{{{}/{}}}\n", kind, stem);
  }
  out.Write(kFigures / "all.tex", all + "\\end{document}\n");
  return by_length;
}

}  // namespace flare::report
