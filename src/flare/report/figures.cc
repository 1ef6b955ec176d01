#include "flare/report/figures.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/report/hierarchy.h"
#include "flare/report/latex.h"
#include "flare/report/plots.h"
#include "flare/report/predicted.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

const std::filesystem::path kFolder = "figures";

template <class Draw>
void WriteSvg(const std::string& place, double width, double height, OutputFolder& out, Draw draw) {
  Canvas canvas(width, height);
  draw(canvas);
  out.Write(kFolder / (place + ".svg"), canvas.Svg());
}

// As SVG, and as pgfplots with its data.
void WritePlot(const Plot& plot, const std::string& place, OutputFolder& out) {
  WriteSvg(place, kPlotWidth, kPlotHeight, out, [&](Canvas& canvas) { DrawPlot(plot, canvas); });
  const PgfPlot pgf = FormatPgf(plot, place);
  out.Write(kFolder / (place + ".tex"), pgf.tex);
  for (const auto& [file, text] : pgf.data) out.Write(kFolder / file, text);
}

}  // namespace

void WriteFigures(const Selection& selection, RunFiles& files, OutputFolder& out) {
  const Study& study = selection.study();
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
    for (const NumericAxis& axis : axes) {
      const Plot plot = AxisPlot(selection, axis, language);
      if (!plot.series.empty()) write("axis-" + axis.setting, language, plot);
    }
  }
  const HierarchyPicture picture(selection);
  Canvas hierarchy(picture.width(), picture.height());
  picture.Draw(hierarchy);
  out.Write(kFolder / "hierarchy.svg", hierarchy.Svg());
  out.Write(kFolder / "hierarchy.tex", hierarchy.Tikz());
  const PredictedPicture predicted(selection);
  WriteSvg("predicted", predicted.width(), predicted.height(), out,
           [&](Canvas& canvas) { predicted.Draw(canvas); });
  std::string all =
      "% All figures on their own: pdflatex all.tex in this folder.\n"
      "\\documentclass{article}\n\\usepackage[margin=2cm]{geometry}\n\\usepackage{pgfplots}\n"
      "\\usepgfplotslibrary{fillbetween}\n"
      "\\pgfplotsset{compat=1.16, width=5.8cm, height=4.4cm, label style={font=\\scriptsize}}\n"
      "\\newcommand{\\flarefigures}{.}\n\\setlength{\\parindent}{0pt}\n\\begin{document}\n"
      "\\section*{Languages with a perfect model}\n\\input{hierarchy}\n";
  for (const auto& [kind, languages] : drawn) {
    all += fmt::format("\\section*{{{}}}\n", LatexEscaped(kind));
    for (const std::string& stem : languages) all += fmt::format("\\input{{{}/{}}}\n", kind, stem);
  }
  out.Write(kFolder / "all.tex", all + "\\end{document}\n");
}

}  // namespace flare::report
