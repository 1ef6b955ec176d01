#include "flare/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "flare/base/text.h"
#include "flare/report/latex.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"

namespace flare::report {

const std::array<std::string_view, kColors> kColorsOnWhite = {
    "#216eb2", "#ed2c1c", "#29a78d", "#6b256e", "#e19e21", "#5db1f5",
    "#6d3f1a", "#f27bc2", "#383e9b", "#598235", "#0e5f52", "#79797c"};
const std::array<std::string_view, kColors> kColorsOnBlack = {
    "#4db8fe", "#d64055", "#5cdc83", "#c18eaf", "#ffe031", "#3a7cd9",
    "#c8864b", "#ffafce", "#838efc", "#c2c92d", "#1c9e82", "#acaf94"};

Look LookAt(std::size_t n) {
  constexpr std::size_t kDashes = 4;
  const std::size_t round = n / kColors, place = n % kColors;
  // Half of the colours have a solid line in the first round, the other half a dashed one.
  const std::size_t dash = (place / (kColors / 2) + 2 * round) % kDashes;
  return {.color = std::string(kColorsOnWhite[place]),
          .bright = std::string(kColorsOnBlack[place]),
          .dash = static_cast<Dash>(dash),
          .mark = static_cast<Mark>((n + round) % kMarks)};
}

std::map<std::string, Look> LooksOf(const std::vector<std::string>& variants) {
  std::map<std::string, Look> looks;
  std::set<std::size_t> taken;
  for (const std::string& variant : variants) {
    const auto place = PlaceOfArchitecture(variant);
    if (!place || !taken.insert(*place).second) continue;
    looks[variant] = LookAt(*place);
  }
  std::size_t next = 0;
  for (const std::string& variant : variants) {
    if (looks.contains(variant)) continue;
    while (!taken.insert(next).second) ++next;
    looks[variant] = LookAt(next);
  }
  return looks;
}

Look LookAgain(Look look, std::size_t n) {
  constexpr std::size_t kDashes = 4;
  look.dash = static_cast<Dash>((static_cast<std::size_t>(look.dash) + n) % kDashes);
  look.mark = static_cast<Mark>((static_cast<std::size_t>(look.mark) + n) % kMarks);
  return look;
}

const char* Name(Dash dash) {
  static constexpr std::array<const char*, 4> names = {"solid", "dashed", "dotted", "dash-dotted"};
  return names[static_cast<std::size_t>(dash)];
}

const char* Name(Mark mark) {
  static constexpr std::array<const char*, kMarks> names = {"dot",  "square", "triangle", "diamond",
                                                            "ring", "frame",  "cross",    "plus"};
  return names[static_cast<std::size_t>(mark)];
}

namespace {

std::string XmlEscaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML has no control characters.
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
  }
  return out;
}

std::string StrokeText(const Stroke& stroke) {
  static constexpr std::array<const char*, 4> dashes = {"", R"( stroke-dasharray="5 3")",
                                                        R"( stroke-dasharray="1.5 2.5")",
                                                        R"( stroke-dasharray="6 2.5 1.5 2.5")"};
  return fmt::format(R"(stroke="{}" stroke-width="{:.4g}"{})", stroke.color, stroke.width,
                     dashes[static_cast<std::size_t>(stroke.dash)]);
}

std::string PointsText(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", place.x, place.y);
  }
  return text;
}

}  // namespace

namespace {

// The widest that a figure is in LaTeX.
constexpr double kWidestPoints = 345, kMostPointsPerPixel = 0.6;

// #rrggbb as TikZ takes it.
std::string TikzColor(const std::string& color) {
  const auto part = [&](std::size_t at) { return std::stoi(color.substr(at, 2), nullptr, 16); };
  return fmt::format("{{rgb,255:red,{};green,{};blue,{}}}", part(1), part(3), part(5));
}

const char* TikzDash(Dash dash) {
  static constexpr std::array<const char*, 4> names = {"solid", "dashed", "densely dotted",
                                                       "dashdotted"};
  return names[static_cast<std::size_t>(dash)];
}

std::string TikzStroke(const Stroke& stroke, double points) {
  return fmt::format("draw={}, line width={:.2f}pt, {}", TikzColor(stroke.color),
                     stroke.width * points, TikzDash(stroke.dash));
}

std::string TikzPath(const std::vector<Place>& places) {
  std::string path;
  for (const Place& place : places) {
    path += fmt::format("{}({:.1f},{:.1f})", path.empty() ? "" : " -- ", place.x, place.y);
  }
  return path;
}

}  // namespace

Canvas::Canvas(double width, double height)
    : points_(std::min(kMostPointsPerPixel, kWidestPoints / width)),
      svg_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                       "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
                       "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                       width, height)),
      tikz_(fmt::format("\\begin{{tikzpicture}}[x={0:.4f}pt, y=-{0:.4f}pt]\n", points_)) {}

void Canvas::Line(const std::vector<Place>& places, const Stroke& stroke) {
  svg_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", PointsText(places),
                      StrokeText(stroke));
  tikz_ += fmt::format("\\path[{}] {};\n", TikzStroke(stroke, points_), TikzPath(places));
}
void Canvas::Area(const std::vector<Place>& places, const std::string& color, double opacity) {
  svg_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n",
                      PointsText(places), color, opacity);
  tikz_ += fmt::format("\\path[fill={}, fill opacity={}] {} -- cycle;\n", TikzColor(color), opacity,
                       TikzPath(places));
}
void Canvas::Box(Place corner, double width, double height, const std::string& fill,
                 const Stroke& stroke) {
  svg_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" {}/>\n",
      corner.x, corner.y, width, height, fill, StrokeText(stroke));
  tikz_ += fmt::format("\\path[fill={}, {}] ({:.1f},{:.1f}) rectangle ({:.1f},{:.1f});\n",
                       TikzColor(fill), TikzStroke(stroke, points_), corner.x, corner.y,
                       corner.x + width, corner.y + height);
}
void Canvas::Dot(Place center, double radius, const std::string& fill, const Stroke& stroke) {
  svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.4g}\" fill=\"{}\" {}/>\n",
                      center.x, center.y, radius, fill, StrokeText(stroke));
  tikz_ += fmt::format("\\path[fill={}, {}] ({:.1f},{:.1f}) circle ({:.2f}pt);\n", TikzColor(fill),
                       TikzStroke(stroke, points_), center.x, center.y, radius * points_);
}
void Canvas::Sign(Place center, double radius, Mark mark, const std::string& color) {
  const auto [x, y] = center;
  const double r = radius, wide = 1.25 * radius;
  const Stroke edge{color, 1.2};
  switch (mark) {
    case Mark::kDot:
    case Mark::kRing:
      return Dot(center, r, mark == Mark::kDot ? color : "#ffffff", edge);
    case Mark::kSquare:
    case Mark::kFrame:
      return Box({x - r, y - r}, 2 * r, 2 * r, mark == Mark::kSquare ? color : "#ffffff", edge);
    case Mark::kTriangle:
      return Area({{x, y - wide}, {x + wide, y + r}, {x - wide, y + r}}, color, 1);
    case Mark::kDiamond:
      return Area({{x, y - wide}, {x + wide, y}, {x, y + wide}, {x - wide, y}}, color, 1);
    case Mark::kCross:
      Line({{x - r, y - r}, {x + r, y + r}}, edge);
      return Line({{x - r, y + r}, {x + r, y - r}}, edge);
    case Mark::kPlus:
      Line({{x - wide, y}, {x + wide, y}}, edge);
      return Line({{x, y - wide}, {x, y + wide}}, edge);
  }
}
void Canvas::Text(Place place, const std::string& text, const TextStyle& style) {
  static const char* const kAnchors[] = {"start", "middle", "end"};
  svg_ += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{2:.4g}\" text-anchor=\"{3}\" "
      "fill=\"{4}\"{5}>{6}</text>\n",
      place.x, place.y, style.size, kAnchors[static_cast<int>(style.anchor)], style.color,
      style.upwards ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", place.x, place.y)
                    : "",
      XmlEscaped(text));
  static const char* const kTikzAnchors[] = {"base west", "base", "base east"};
  const double size = 0.9 * style.size * points_;  // LaTeX's letters are wider
  tikz_ += fmt::format(
      "\\node[anchor={}, inner sep=0, text={}, font=\\fontsize{{{:.1f}}}{{{:.1f}}}\\selectfont{}] "
      "at ({:.1f},{:.1f}) {{{}}};\n",
      kTikzAnchors[static_cast<int>(style.anchor)], TikzColor(style.color), size, 1.2 * size,
      style.upwards ? ", rotate=90" : "", place.x, place.y, LatexEscaped(text));
}

namespace {

constexpr const char* kInk = "#1c2128";
constexpr const char* kFaint = "#8a939e";

// The area of the data.
constexpr double kLeft = 58, kRight = kPlotWidth - 14, kTop = 30, kBottom = kPlotHeight - 66;

struct Frame {
  double least_x, most_x;  // the least is 0 or below unless by logarithms
  double least_y, most_y;  // the least is 0 or below
  bool logarithmic_x;

  Place At(double x, double y) const {
    const double along = logarithmic_x
                             ? (kRight - kLeft) * std::log(x / least_x) / std::log(most_x / least_x)
                             : (kRight - kLeft) * (x - least_x) / (most_x - least_x);
    return {kLeft + along, kBottom - (kBottom - kTop) * UpAt(y)};
  }
  // Maps y to 0 at the foot and 1 at the top; values beyond the frame stay at its edge.
  double UpAt(double y) const {
    return (std::clamp(y, least_y, most_y) - least_y) / (most_y - least_y);
  }
};

bool IsThere(const Series::Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

Frame FrameOf(const Plot& plot) {
  double least_x = std::numeric_limits<double>::infinity(), most_x = 0, least_y = 0, most_y = 0;
  for (const Series& series : plot.series) {
    for (const Series::Point& point : series.points) {
      if (!IsThere(point)) continue;
      least_x = std::min(least_x, point.x);
      most_x = std::max(most_x, point.x);
      least_y = std::min(least_y, point.y);
      most_y = std::max({most_y, point.y, std::isfinite(point.above) ? point.above : 0});
    }
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) most_y = std::max(most_y, 1.1 * y);
  const bool logarithmic_x = plot.logarithmic_x && 0 < least_x && least_x < most_x;
  if (!logarithmic_x) least_x = std::min(least_x, 0.0);
  return {least_x, most_x > least_x ? most_x : least_x + 1, least_y,
          plot.most_y > 0 ? plot.most_y
          : most_y > 0    ? most_y
                          : 1,
          logarithmic_x};
}

// Ticks go from 0 in both directions.
std::vector<double> TicksBetween(double least, double most) {
  std::set<double> ticks;
  if (most > 0) {
    for (const double tick : TicksUpTo(most)) ticks.insert(tick);
  }
  if (least < 0) {
    for (const double tick : TicksUpTo(-least)) ticks.insert(tick > 0 ? -tick : 0);
  }
  return {ticks.begin(), ticks.end()};
}

std::vector<double> TicksOf(const Frame& frame) {
  return frame.logarithmic_x ? LogarithmicTicks(frame.least_x, frame.most_x)
                             : TicksBetween(frame.least_x, frame.most_x);
}

void DrawAxes(const Plot& plot, const Frame& frame, Canvas& canvas) {
  const Stroke axis{kInk, 1}, grid{"#e4e8ed", 1};
  for (const double y : TicksBetween(frame.least_y, frame.most_y)) {
    const Place at = frame.At(frame.least_x, y);
    canvas.Line({at, {kRight, at.y}}, grid);
    canvas.Text({kLeft - 6, at.y + 4}, fmt::format("{:g}", y), {11, Anchor::kEnd});
  }
  for (const double x : TicksOf(frame)) {
    const Place at = frame.At(x, frame.least_y);
    canvas.Line({at, {at.x, kBottom + 4}}, axis);
    canvas.Text({at.x, kBottom + 17}, fmt::format("{:g}", x), {11, Anchor::kMiddle});
  }
  canvas.Line({{kLeft, kTop}, {kLeft, kBottom}, {kRight, kBottom}}, axis);
  canvas.Text({(kLeft + kRight) / 2, 18}, plot.title, {14, Anchor::kMiddle});
  canvas.Text({(kLeft + kRight) / 2, kBottom + 34}, plot.x_title, {12, Anchor::kMiddle});
  canvas.Text({16, (kTop + kBottom) / 2}, plot.y_title,
              {.size = 12, .anchor = Anchor::kMiddle, .upwards = true});
}

void DrawLines(const Plot& plot, const Frame& frame, Canvas& canvas) {
  const Stroke dashed{kFaint, 1, Dash::kDashed};
  for (const double x : plot.vertical_lines) {
    if (x > frame.most_x) continue;
    canvas.Line({frame.At(x, frame.least_y), frame.At(x, frame.most_y)}, dashed);
    canvas.Text({frame.At(x, frame.least_y).x + 3, kTop + 10}, fmt::format("{:g}", x),
                {10, Anchor::kStart, kFaint});
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) {
    if (y > frame.most_y) continue;
    canvas.Line({frame.At(frame.least_x, y), frame.At(frame.most_x, y)}, dashed);
    canvas.Text({kRight, frame.At(frame.least_x, y).y - 4}, meaning, {10, Anchor::kEnd, kFaint});
  }
}

void DrawBand(const Series& series, double opacity, const Frame& frame, Canvas& canvas) {
  std::vector<Place> outline;
  const auto add = [&](double x, double y) { outline.push_back(frame.At(x, y)); };
  for (const Series::Point& p : series.points) {
    if (IsThere(p) && std::isfinite(p.above)) add(p.x, p.above);
  }
  for (auto p = series.points.rbegin(); p != series.points.rend(); ++p) {
    if (IsThere(*p) && std::isfinite(p->below)) add(p->x, p->below);
  }
  if (outline.size() > 3) canvas.Area(outline, series.look.color, opacity);
}

void DrawSeries(const Series& series, const Frame& frame, Canvas& canvas) {
  const Look& look = series.look;
  std::vector<Place> line;
  const auto end_line = [&] {
    if (line.size() > 1) canvas.Line(line, {look.color, 1.8, look.dash});
    line.clear();
  };
  for (const Series::Point& point : series.points) {
    if (!IsThere(point)) {
      end_line();
    } else if (!series.as_dots) {
      line.push_back(frame.At(point.x, point.y));
    }
  }
  end_line();
  const std::size_t every = series.as_dots ? 1 : MarkEvery(series.points.size());
  for (std::size_t i = 0; i < series.points.size(); i += every) {
    const Series::Point& point = series.points[i];
    if (!IsThere(point)) continue;
    canvas.Sign(frame.At(point.x, point.y), 2.6, look.mark, look.color);
  }
}

// Puts as many entries side by side as there is room for, judged by their number of letters.
void DrawLegend(const Plot& plot, Canvas& canvas) {
  double x = kLeft, y = kPlotHeight - 16;
  for (const Series& series : plot.series) {
    const double width = 36 + 6.5 * static_cast<double>(series.title.size());
    if (x > kLeft && x + width > kPlotWidth) {
      x = kLeft;
      y += 13;
    }
    if (!series.as_dots) {
      canvas.Line({{x, y - 4}, {x + 22, y - 4}}, {series.look.color, 2, series.look.dash});
    }
    canvas.Sign({x + 11, y - 4}, 2.8, series.look.mark, series.look.color);
    canvas.Text({x + 27, y}, series.title, {11, Anchor::kStart});
    x += width;
  }
}

}  // namespace

std::vector<double> TicksUpTo(double most) {
  const double magnitude = std::pow(10, std::floor(std::log10(most / 5)));
  double step = magnitude;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * magnitude;
    if (most / step <= 6) break;
  }
  if (most >= 3) step = std::max(1.0, step);
  std::vector<double> ticks;
  for (double i = 0; i * step <= most * (1 + 1e-9); ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> LogarithmicTicks(double least, double most) {
  constexpr double kManyDecades = 2.5;
  std::vector<double> ticks;
  for (double power = std::floor(std::log10(least)); power <= std::log10(most); ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      const bool is_wanted = factor == 1 || std::log10(most / least) < kManyDecades;
      // A power of ten that is an end of the range may be rounded.
      if (is_wanted && tick >= least * (1 - 1e-9) && tick <= most * (1 + 1e-9)) {
        ticks.push_back(tick);
      }
    }
  }
  return ticks;
}

std::size_t MarkEvery(std::size_t points) {
  constexpr std::size_t kMarksOfACurve = 8;
  return std::max<std::size_t>(1, points / kMarksOfACurve);
}

Canvas DrawPlot(const Plot& plot) {
  Canvas canvas(kPlotWidth, kPlotHeight);
  const Frame frame = FrameOf(plot);
  DrawAxes(plot, frame, canvas);
  for (const Series& series : plot.series) {
    // The more of them overlap, the fainter they are.
    if (HasBand(series)) DrawBand(series, plot.series.size() > 2 ? 0.07 : 0.15, frame, canvas);
  }
  DrawLines(plot, frame, canvas);
  for (const Series& series : plot.series) DrawSeries(series, frame, canvas);
  DrawLegend(plot, canvas);
  return canvas;
}

// A plot as pgfplots.

namespace {

std::string DatNumber(double value) { return std::isfinite(value) ? FormatExact(value) : "nan"; }

std::string DataOf(const Series& series) {
  std::string text = "x y below above\n";
  for (const Series::Point& point : series.points) {
    text += fmt::format("{} {} {} {}\n", DatNumber(point.x), DatNumber(point.y),
                        DatNumber(point.below), DatNumber(point.above));
  }
  return text;
}

const char* PgfMark(Mark mark) {
  static constexpr std::array<const char*, kMarks> names = {"*", "square*", "triangle*", "diamond*",
                                                            "o", "square",  "x",         "+"};
  return names[static_cast<std::size_t>(mark)];
}

std::string CurveOf(const Series& series, const std::string& file, std::size_t number) {
  const Look& look = series.look;
  const std::string color = "color=" + TikzColor(look.color);
  const std::string marks =
      fmt::format("mark={}, mark options={{solid, scale=0.6}}", PgfMark(look.mark));
  if (series.as_dots) {
    return fmt::format("\\addplot[{}, only marks, {}] table[x=x, y=y] {{{}}};\n", color, marks,
                       file);
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
  return text +
         fmt::format("\\addplot[{}, thick, {}, {}, mark repeat={}] table[x=x, y=y] {{{}}};\n",
                     color, TikzDash(look.dash), marks, MarkEvery(series.points.size()), file);
}

std::string OptionsOf(const Plot& plot) {
  std::string legend;
  for (const Series& series : plot.series) {
    // Titles may contain commas, so each stands in braces.
    legend += fmt::format("{}{{{}}}", legend.empty() ? "" : ", ", LatexEscaped(series.title));
  }
  std::string text = fmt::format(
      "    axis lines=left,\n    title={{{}}},\n    legend entries={{{}}},\n    legend columns=2,\n"
      "    legend style={{font=\\tiny, draw=none, at={{(0.5,-0.35)}}, anchor=north}},\n"
      "    tick label style={{font=\\tiny}},\n    xlabel={{{}}}, ylabel={{{}}},\n    ",
      LatexEscaped(plot.title), legend, LatexEscaped(plot.x_title), LatexEscaped(plot.y_title));
  // Both forms of a plot end in the same places. pgfplots would end where the data ends, and TeX
  // cannot reach a line that is ten thousand times as high.
  const Frame frame = FrameOf(plot);
  if (frame.logarithmic_x) text += "xmode=log, ";
  return text +
         fmt::format("xmin={}, xmax={}, ymin={}, ymax={}, enlarge y limits={{upper, value=0.1}},\n",
                     DatNumber(frame.least_x), DatNumber(frame.most_x), DatNumber(frame.least_y),
                     DatNumber(frame.most_y));
}

std::string LinesOf(const Plot& plot) {
  const Frame frame = FrameOf(plot);
  std::string text;
  for (const double x : plot.vertical_lines) {
    if (x > frame.most_x) continue;
    text += fmt::format(
        "\\draw[dashed] (axis cs:{0},\\pgfkeysvalueof{{/pgfplots/ymin}}) -- "
        "(axis cs:{0},\\pgfkeysvalueof{{/pgfplots/ymax}});\n",
        DatNumber(x));
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) {
    if (y > frame.most_y) continue;
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
      "% Needs \\usepackage{{pgfplots}} and \\usepgfplotslibrary{{fillbetween}}.\n"
      "\\providecommand{{\\flarefigures}}{{figures}}\n\\begin{{tikzpicture}}[baseline]\n"
      "\\begin{{axis}}[\n{}]\n{}{}\\end{{axis}}\n\\end{{tikzpicture}}\n",
      OptionsOf(plot), curves, LinesOf(plot));
  return pgf;
}

// A plot with letters.

std::string FormatText(const Plot& plot, std::size_t columns, std::size_t rows) {
  static constexpr std::array<const char*, kMarks> marks = {"●", "■", "▲", "◆", "○", "□", "×", "+"};
  constexpr std::size_t kMargin = 8, kLeast = 16;
  const Frame frame = FrameOf(plot);
  const std::size_t width = std::max(columns, kMargin + kLeast) - kMargin;
  std::vector<std::vector<std::string>> letters(rows, std::vector<std::string>(width, " "));
  const auto column_of = [&](double x) {
    const double along = (frame.At(x, 0).x - kLeft) / (kRight - kLeft);
    return static_cast<std::size_t>(std::lround(along * static_cast<double>(width - 1)));
  };
  const auto row_of = [&](double y) {
    const double down = 1 - frame.UpAt(y);
    return static_cast<std::size_t>(std::lround(down * static_cast<double>(rows - 1)));
  };
  for (const double x : plot.vertical_lines) {
    if (x > frame.most_x) continue;
    for (auto& row : letters) row[column_of(x)] = "┊";
  }
  for (const auto& [y, meaning] : plot.horizontal_lines) {
    if (y > frame.most_y) continue;
    for (std::string& letter : letters[row_of(y)]) letter = "┄";
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const char* const mark = marks[static_cast<std::size_t>(series.look.mark)];
    const Series::Point* last = nullptr;
    for (const Series::Point& point : series.points) {
      if (!IsThere(point)) {
        last = nullptr;
        continue;
      }
      const std::size_t begin = column_of(last != nullptr ? last->x : point.x),
                        end = column_of(point.x);
      for (std::size_t at = begin; at <= end; ++at) {
        const double share =
            end == begin ? 1 : static_cast<double>(at - begin) / static_cast<double>(end - begin);
        const double y = last == nullptr ? point.y : last->y + share * (point.y - last->y);
        // Curves that lie on each other take turns.
        const bool has_turn = (at / 2) % plot.series.size() == i;
        std::string& letter = letters[row_of(y)][at];
        if (has_turn || letter == " " || letter == "┊" || letter == "┄") letter = mark;
      }
      last = &point;
    }
  }
  std::string text = plot.title + "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const bool has_number = row == 0 || row + 1 == rows || row == rows / 2;
    const double up = 1 - static_cast<double>(row) / static_cast<double>(rows - 1);
    const double y = frame.least_y + up * (frame.most_y - frame.least_y);
    std::string line = has_number ? fmt::format("{:>6.3g} ┤", y) : "       │";
    for (const std::string& letter : letters[row]) line += letter;
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  const std::string least = fmt::format("{:.3g}", frame.least_x),
                    most = fmt::format("{:.4g}", frame.most_x);
  const std::size_t room = width - std::min(width, least.size() + most.size());
  text += fmt::format("{:{}}{}{:^{}}{}\n", "", kMargin, least, plot.x_title, room, most);
  for (const Series& series : plot.series) {
    text += fmt::format("{:{}}{} {}\n", "", kMargin,
                        marks[static_cast<std::size_t>(series.look.mark)], series.title);
  }
  return text;
}

double Scale::At(double value) const {
  return std::clamp((value - worst) / (best - worst), 0.0, 1.0);
}

Scale ScaleOf(const ReportMetric& metric, const std::vector<double>& values) {
  if (metric.name == "accuracy" || metric.name == "auc") return {0.5, 1};
  if (metric.is_share) return {0, 1};
  double least = 0, most = 0;
  for (const double value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least == most) most = least + 1;
  return metric.higher_is_better ? Scale{least, most} : Scale{most, least};
}

std::string ShadeOf(double strength) {
  const double share = std::pow(std::clamp(strength, 0.0, 1.0), 1.5);
  const auto mix = [&](double full) { return std::lround(255 + share * (full - 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0x8f), mix(0xbf), mix(0xe8));
}

namespace {

constexpr double kCellHeight = 30, kMapTop = 34, kMapFoot = 64;

// About how wide text is.
double WidthOfText(const std::string& text) { return 6.5 * static_cast<double>(text.size()); }

double CellWidth(const HeatMap& map) {
  double widest = 52;
  for (const std::string& x : map.x) widest = std::max(widest, WidthOfText(x) + 10);
  return widest;
}

double MapLeft(const HeatMap& map) {
  double widest = 24;
  for (const std::string& y : map.y) widest = std::max(widest, WidthOfText(y));
  return widest + 36;
}

}  // namespace

Canvas DrawHeatMap(const HeatMap& map) {
  const double left = MapLeft(map), cell = CellWidth(map);
  const double right = left + cell * static_cast<double>(map.x.size()),
               bottom = kMapTop + kCellHeight * static_cast<double>(map.y.size());
  const double width = std::max(right + 12, 1.1 * WidthOfText(map.title) + 24);
  Canvas canvas(width, bottom + kMapFoot);
  const Stroke edge{"#d0d6dd", 1};
  const auto number = [&](double value) { return FormatFixed(value, map.decimals); };
  canvas.Text({width / 2, 18}, map.title, {13, Anchor::kMiddle});
  for (std::size_t i = 0; i < map.y.size(); ++i) {
    // The least is at the foot, as on other axes.
    const double top = bottom - kCellHeight * static_cast<double>(i + 1);
    canvas.Text({left - 7, top + 19}, map.y[i], {11, Anchor::kEnd});
    for (std::size_t j = 0; j < map.x.size(); ++j) {
      const auto& value = map.values[i][j];
      const double at = left + cell * static_cast<double>(j);
      canvas.Box({at + 1, top + 1}, cell - 2, kCellHeight - 2,
                 value ? ShadeOf(map.scale.At(*value)) : "#ffffff", edge);
      canvas.Text({at + cell / 2, top + 19}, value ? number(*value) : "–",
                  {11, Anchor::kMiddle, value ? kInk : kFaint});
    }
  }
  for (std::size_t j = 0; j < map.x.size(); ++j) {
    canvas.Text({left + cell * (static_cast<double>(j) + 0.5), bottom + 15}, map.x[j],
                {11, Anchor::kMiddle});
  }
  canvas.Text({(left + right) / 2, bottom + 33}, map.x_title, {12, Anchor::kMiddle});
  canvas.Text({16, (kMapTop + bottom) / 2}, map.y_title,
              {.size = 12, .anchor = Anchor::kMiddle, .upwards = true});
  canvas.Text({left, bottom + 53},
              fmt::format("white: {} · blue: {}", number(map.scale.worst), number(map.scale.best)),
              {10, Anchor::kStart, kFaint});
  return canvas;
}

}  // namespace flare::report
