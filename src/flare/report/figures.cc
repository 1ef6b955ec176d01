#include "flare/report/figures.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/axis_plots.h"
#include "flare/report/captions.h"
#include "flare/report/figure_data.h"
#include "flare/report/hierarchy_figure.h"
#include "flare/report/hierarchy_picture.h"
#include "flare/report/language_plots.h"
#include "flare/report/predicted_picture.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

constexpr const char* kFolder = "figures";
constexpr const char* kPrologue =
    "\\providecommand{\\flarefigures}{figures}\n\\begin{tikzpicture}[baseline]\n";

// The paper's colours for its three architectures; `others` counts those that it does not have.
std::string ColorOf(const std::string& variant, std::size_t& others) {
  if (variant == "transformer") return "blue";
  if (variant == "rnn") return "red";
  if (variant == "lstm") return "green!60!black";
  static const std::array<const char*, 3> colors = {"violet", "orange", "teal"};
  return colors[others++ % colors.size()];
}

std::string DatNumber(double value) { return std::isfinite(value) ? FormatExact(value) : "nan"; }

// The figure's axes; `lines` are drawn over the plots.
std::string Figure(const std::string& options, const std::string& plots, const std::string& lines) {
  return fmt::format(
      "{}\\begin{{axis}}[\n    axis lines=left,\n{}]\n{}{}\\end{{axis}}\n"
      "\\end{{tikzpicture}}\n",
      kPrologue, options, plots, lines);
}

std::string HorizontalLine() {
  return "\\draw[dashed] (axis cs:\\pgfkeysvalueof{/pgfplots/xmin},0.6931471805599453) -- "
         "(axis cs:\\pgfkeysvalueof{/pgfplots/xmax},0.6931471805599453);\n"
         "\\node[above left] at (axis cs:\\pgfkeysvalueof{/pgfplots/xmax},0.6931471805599453) "
         "{\\tiny $\\uparrow$ Incorrect};\n";
}

// The longest strings of training and of the long validation set, where they are known.
std::string LengthLines(const Study& study, const std::string& language) {
  std::string text;
  for (const std::size_t length : SeenLengths(study, language)) {
    text += fmt::format(
        "\\draw[dashed] (axis cs:{0},\\pgfkeysvalueof{{/pgfplots/ymin}}) -- "
        "(axis cs:{0},\\pgfkeysvalueof{{/pgfplots/ymax}});\n",
        length);
  }
  return text;
}

// As in the paper for lengths like its own; pgfplots chooses others.
std::string LengthTicks(const Study& study, const std::string& language) {
  const auto lengths = LengthsOf(study, language, study.test_split);
  return lengths && lengths->max == 500 ? "    xtick={0, 100, 200, 300, 400, 500},\n" : "";
}

class LanguageFigures {
 public:
  LanguageFigures(const Study& study, const std::string& language, std::string stem,
                  const std::vector<RunFigures>& runs, OutputFolder& out)
      : study_(study),
        language_(language),
        title_(LatexEscaped(LanguageTitle(language))),
        stem_(std::move(stem)),
        runs_(runs),
        out_(out) {}

  // Each returns whether there was anything to draw.
  bool CrossEntropyVsLength() {
    std::string plots;
    ForEach([](const RunFigures& run) { return !run.lengths.empty(); },
            [&](const RunFigures& run, const std::string& color) {
              std::string dat = "length mean below above\n";
              for (const LengthPoint& point : run.lengths) {
                dat += fmt::format("{} {} {} {}\n", DatNumber(static_cast<double>(point.length)),
                                   DatNumber(point.cross_entropy),
                                   DatNumber(point.cross_entropy - point.cross_entropy_std),
                                   DatNumber(point.cross_entropy + point.cross_entropy_std));
              }
              const std::string file = Data("cross-entropy-vs-length", run, dat);
              const std::string name = FileStem(run.run->cohort);
              for (const char* side : {"below", "above"}) {
                plots += fmt::format(
                    "\\addplot[name path={0}-{1}, draw=none, forget plot] table[x=length, y={1}] "
                    "{{{2}}};\n",
                    name, side, file);
              }
              plots += fmt::format(
                  "\\addplot[{1}, opacity=0.2, forget plot] fill between [of={0}-below and "
                  "{0}-above];\n",
                  name, color);
              plots += fmt::format("\\addplot[{}, thick] table[x=length, y=mean] {{{}}};\n", color,
                                   file);
            });
    return Write("cross-entropy-vs-length",
                 "    xlabel={Length}, ylabel={Cross-Entropy $\\leftarrow$},\n"
                 "    xmin=0, ymin=0, enlarge y limits={upper, value=0.1},\n" +
                     LengthTicks(study_, language_),
                 plots, HorizontalLine() + LengthLines(study_, language_));
  }

  bool AccuracyVsLength() {
    std::string plots;
    ForEach([](const RunFigures& run) { return !run.lengths.empty(); },
            [&](const RunFigures& run, const std::string& color) {
              std::string dat = "length accuracy\n";
              for (const LengthPoint& point : run.lengths) {
                dat += fmt::format("{} {}\n", DatNumber(static_cast<double>(point.length)),
                                   DatNumber(point.accuracy));
              }
              plots += fmt::format("\\addplot[{}, thick] table[x=length, y=accuracy] {{{}}};\n",
                                   color, Data("accuracy-vs-length", run, dat));
            });
    return Write("accuracy-vs-length",
                 "    xlabel={Length}, ylabel={Accuracy $\\rightarrow$},\n"
                 "    xmin=0, ymin=0, ymax=1, enlarge y limits={upper, value=0.05},\n" +
                     LengthTicks(study_, language_),
                 plots, LengthLines(study_, language_));
  }

  bool CrossEntropyVsEditDistance() {
    std::string plots;
    ForEach([](const RunFigures& run) { return !run.edits.empty(); },
            [&](const RunFigures& run, const std::string& color) {
              std::string dat = "edit_distance cross_entropy\n";
              for (const ExampleRow& example : run.edits) {
                if (!example.edit_distance) continue;
                dat +=
                    fmt::format("{} {}\n", DatNumber(static_cast<double>(*example.edit_distance)),
                                DatNumber(example.cross_entropy));
              }
              plots += fmt::format(
                  "\\addplot[{}, only marks, mark=*, mark options={{scale=0.5}}] "
                  "table[x=edit_distance, y=cross_entropy] {{{}}};\n",
                  color, Data("edit-distance", run, dat));
            });
    return Write("edit-distance",
                 "    xlabel={Edit Distance}, ylabel={Cross-Entropy $\\leftarrow$},\n"
                 "    xmin=0, ymin=0, enlarge x limits=0.1, enlarge y limits=0.1,\n",
                 plots, HorizontalLine());
  }

  bool TrainingCurves() {
    std::string plots;
    ForEach([](const RunFigures& run) { return !run.training.empty(); },
            [&](const RunFigures& run, const std::string& color) {
              std::string dat = "epoch loss validation_cross_entropy validation_accuracy\n";
              for (const CurvePoint& point : run.training) {
                dat += fmt::format("{} {} {} {}\n",
                                   DatNumber(static_cast<double>(point.checkpoint.epoch)),
                                   DatNumber(point.loss), DatNumber(point.checkpoint.cross_entropy),
                                   DatNumber(point.checkpoint.accuracy));
              }
              plots += fmt::format(
                  "\\addplot[{}, thick] table[x=epoch, y=validation_cross_entropy] {{{}}};\n",
                  color, Data("training-curves", run, dat));
            });
    return Write("training-curves",
                 "    xlabel={Epoch}, ylabel={Validation Cross-Entropy $\\leftarrow$},\n"
                 "    xmin=0, ymin=0, enlarge y limits={upper, value=0.1},\n",
                 plots, HorizontalLine());
  }

 private:
  template <class Has, class Plot>
  void ForEach(Has has, Plot plot) {
    legend_.clear();
    std::size_t others = 0;
    for (const RunFigures& run : runs_) {
      const std::string& variant = run.run->cohort;
      const std::string color = ColorOf(variant, others);
      if (!has(run)) continue;
      legend_ += (legend_.empty() ? "" : ", ") + LatexEscaped(study_.Title(variant));
      plot(run, color);
    }
  }

  std::string Data(const std::string& kind, const RunFigures& run, const std::string& text) {
    const std::string name = fmt::format("{}/{}-{}.dat", kind, stem_, FileStem(run.run->cohort));
    out_.Write(std::filesystem::path(kFolder) / name, text);
    return "\\flarefigures/" + name;
  }

  bool Write(const std::string& kind, const std::string& options, const std::string& plots,
             const std::string& lines) {
    if (plots.empty()) return false;
    const std::string all = fmt::format(
        "    title={{{}}},\n    legend entries={{{}}},\n    legend columns=-1,\n"
        "    legend style={{font=\\tiny, draw=none, at={{(0.5,-0.35)}}, anchor=north}},\n    tick "
        "label style={{font=\\tiny}},\n{}",
        title_, legend_, options);
    out_.Write(std::filesystem::path(kFolder) / kind / (stem_ + ".tex"), Figure(all, plots, lines));
    return true;
  }

  const Study& study_;
  std::string language_;
  std::string title_;
  std::string stem_;
  const std::vector<RunFigures>& runs_;
  OutputFolder& out_;
  std::string legend_;
};

// NAME.svg and NAME.png.
template <class Draw>
void WritePicture(const std::filesystem::path& name, double width, double height, OutputFolder& out,
                  Draw draw) {
  const auto svg = MakeSvg(width, height), png = MakePng(width, height);
  draw(*svg);
  draw(*png);
  out.Write(name.string() + ".svg", svg->Finish());
  out.Write(name.string() + ".png", png->Finish());
}

}  // namespace

void WriteFigures(const Selection& selection, RunFiles& files, OutputFolder& out) {
  const Study& study = selection.study();
  const std::map<std::string, std::string> stems = FileStems(study.axes.languages);
  std::map<std::string, std::vector<std::string>> drawn;  // by kind
  for (const std::string& language : study.axes.languages) {
    const std::string& stem = stems.at(language);
    const std::vector<RunFigures> runs = ReadLanguageFigures(selection, language, files);
    LanguageFigures figures(study, language, stem, runs, out);
    if (figures.CrossEntropyVsLength()) drawn["cross-entropy-vs-length"].push_back(stem);
    if (figures.AccuracyVsLength()) drawn["accuracy-vs-length"].push_back(stem);
    if (figures.CrossEntropyVsEditDistance()) drawn["edit-distance"].push_back(stem);
    if (figures.TrainingCurves()) drawn["training-curves"].push_back(stem);
    for (const auto& [kind, plot] : LanguagePlots(study, language, runs)) {
      WritePicture(std::filesystem::path(kFolder) / kind / stem, kPlotWidth, kPlotHeight, out,
                   [&plot = plot](Canvas& canvas) { DrawPlot(plot, canvas); });
    }
  }
  out.Write(std::filesystem::path(kFolder) / "hierarchy.tex", HierarchyFigure(selection));
  const HierarchyPicture picture(selection);
  WritePicture(std::filesystem::path(kFolder) / "hierarchy", picture.width(), picture.height(), out,
               [&](Canvas& canvas) { picture.Draw(canvas); });
  const PredictedPicture predicted(selection);
  WritePicture(std::filesystem::path(kFolder) / "predicted", predicted.width(), predicted.height(),
               out, [&](Canvas& canvas) { predicted.Draw(canvas); });
  for (const NumericAxis& axis : NumericAxesOf(study)) {
    for (const std::string& language : study.axes.languages) {
      const Plot plot = AxisPlot(selection, axis, language);
      if (plot.series.empty()) continue;
      WritePicture(std::filesystem::path(kFolder) / ("axis-" + axis.setting) / stems.at(language),
                   kPlotWidth, kPlotHeight, out, [&](Canvas& canvas) { DrawPlot(plot, canvas); });
    }
  }
  std::string all =
      "% All figures on their own: pdflatex all.tex in this folder.\n"
      "\\documentclass{article}\n\\usepackage[margin=2cm]{geometry}\n\\usepackage{pgfplots}\n"
      "\\usepgfplotslibrary{fillbetween}\n"
      "\\pgfplotsset{compat=1.16, width=5.8cm, height=4.4cm, label style={font=\\scriptsize}}\n"
      "\\newcommand{\\flarefigures}{.}\n\\setlength{\\parindent}{0pt}\n\\begin{document}\n"
      "\\section*{Languages with a perfect model}\n\\input{hierarchy}\n";
  for (const auto& [kind, languages] : drawn) {
    all += fmt::format("\\section*{{{}}}\n", kind);
    for (const std::string& stem : languages) {
      all += fmt::format("\\input{{{}/{}}}\n", kind, stem);
    }
  }
  out.Write(std::filesystem::path(kFolder) / "all.tex", all + "\\end{document}\n");
}

}  // namespace flare::report
