// A plot as pgfplots.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "flare/base/number.h"
#include "flare/report/plot.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {
namespace {

std::string DatNumber(double value) { return std::isfinite(value) ? FormatExact(value) : "nan"; }

// "#0072b2" as xcolor has it.
std::string PgfColor(const std::string& color) {
  const auto part = [&](std::size_t at) { return std::stoi(color.substr(at, 2), nullptr, 16); };
  return fmt::format("color={{rgb,255:red,{};green,{};blue,{}}}", part(1), part(3), part(5));
}

std::string DataOf(const Series& series) {
  std::string text = "x y below above\n";
  for (const Series::Point& point : series.points) {
    text += fmt::format("{} {} {} {}\n", DatNumber(point.x), DatNumber(point.y),
                        DatNumber(point.below), DatNumber(point.above));
  }
  return text;
}

std::string CurveOf(const Series& series, const std::string& file, std::size_t number) {
  const std::string color = PgfColor(series.color);
  if (series.as_dots) {
    return fmt::format(
        "\\addplot[{}, only marks, mark=*, mark options={{scale=0.5}}] table[x=x, y=y] {{{}}};\n",
        color, file);
  }
  std::string text;
  if (HasBand(series)) {
    for (const char* side : {"below", "above"}) {
      text += fmt::format(
          "\\addplot[name path=band{0}-{1}, draw=none, forget plot] table[x=x, y={1}] {{{2}}};\n",
          number, side, file);
    }
    text += fmt::format(
        "\\addplot[{1}, opacity=0.2, forget plot] fill between [of=band{0}-below and "
        "band{0}-above];\n",
        number, color);
  }
  return text + fmt::format("\\addplot[{}, thick] table[x=x, y=y] {{{}}};\n", color, file);
}

std::string OptionsOf(const Plot& plot) {
  std::string legend;
  for (const Series& series : plot.series) {
    // In braces, as titles may have commas.
    legend += fmt::format("{}{{{}}}", legend.empty() ? "" : ", ", LatexEscaped(series.title));
  }
  std::string text = fmt::format(
      "    axis lines=left,\n    title={{{}}},\n    legend entries={{{}}},\n    legend columns=2,\n"
      "    legend style={{font=\\tiny, draw=none, at={{(0.5,-0.35)}}, anchor=north}},\n"
      "    tick label style={{font=\\tiny}},\n    xlabel={{{}}}, ylabel={{{}}},\n    ymin=0,",
      LatexEscaped(plot.title), legend, LatexEscaped(plot.x_title), LatexEscaped(plot.y_title));
  text += plot.logarithmic_x ? " xmode=log," : " xmin=0,";
  if (plot.most_y > 0) text += fmt::format(" ymax={},", DatNumber(plot.most_y));
  return text + " enlarge y limits={upper, value=0.1},\n";
}

std::string LinesOf(const Plot& plot) {
  std::string text;
  for (const double x : plot.vertical_lines) {
    text += fmt::format(
        "\\draw[dashed] (axis cs:{0},\\pgfkeysvalueof{{/pgfplots/ymin}}) -- "
        "(axis cs:{0},\\pgfkeysvalueof{{/pgfplots/ymax}});\n",
        DatNumber(x));
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) {
    text += fmt::format(
        "\\draw[dashed] (axis cs:\\pgfkeysvalueof{{/pgfplots/xmin}},{0}) -- "
        "(axis cs:\\pgfkeysvalueof{{/pgfplots/xmax}},{0});\n"
        "\\node[above left] at (axis cs:\\pgfkeysvalueof{{/pgfplots/xmax}},{0}) {{\\tiny {1}}};\n",
        DatNumber(y), LatexEscaped(meaning));
  }
  return text;
}

}  // namespace

bool HasBand(const Series& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [](const Series::Point& point) { return point.above > point.y; });
}

PgfPlot FormatPgf(const Plot& plot, const std::string& place) {
  PgfPlot pgf;
  std::string curves;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const std::string file = fmt::format("{}-{}.dat", place, FileStem(plot.series[i].title));
    pgf.data[file] = DataOf(plot.series[i]);
    curves += CurveOf(plot.series[i], "\\flarefigures/" + file, i);
  }
  pgf.tex = fmt::format(
      "\\providecommand{{\\flarefigures}}{{figures}}\n\\begin{{tikzpicture}}[baseline]\n"
      "\\begin{{axis}}[\n{}]\n{}{}\\end{{axis}}\n\\end{{tikzpicture}}\n",
      OptionsOf(plot), curves, LinesOf(plot));
  return pgf;
}

}  // namespace flare::report
