// Figures as values, each drawn once for all its forms: on a canvas that is SVG and TikZ, where
// text stays text, as pgfplots with its data, and with letters in a terminal. Canvases are white: a
// figure must be readable on whatever background it is put.

#ifndef FLARE_REPORT_PLOT_H_
#define FLARE_REPORT_PLOT_H_

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/runs/report_spec.h"

namespace flare::report {

// The look of a variant in all figures: a colour, a line and a mark of its own.

enum class Dash { kSolid, kDashed, kDotted, kDashDotted };
// Full ones first.
enum class Mark { kDot, kSquare, kTriangle, kDiamond, kRing, kFrame, kCross, kPlus };
inline constexpr std::size_t kMarks = 8;

struct Look {
  std::string color;   // #rrggbb, on white
  std::string bright;  // the same hue on black
  Dash dash = Dash::kSolid;
  Mark mark = Mark::kDot;
};

// Twelve colours that can be told apart, on white and on black, also by those who see no red or no
// green (tests/report/palette_test.cc has how far they are apart, in OKLab). They were searched
// for: near the colours of figures that are liked, as far from each other as those allow.
inline constexpr std::size_t kColors = 12;
extern const std::array<std::string_view, kColors> kColorsOnWhite, kColorsOnBlack;

// The n-th: all colours first; then they come again with other lines and marks.
Look LookAt(std::size_t n);

// The looks of variants by their ids: an architecture as it is has always the same, if nobody else
// has taken it; others have what is free, in their order.
std::map<std::string, Look> LooksOf(const std::vector<std::string>& variants);

// The n-th curve of one variant, from 0: in its colour, with lines and marks of its own.
Look LookAgain(Look look, std::size_t n);

// Names of lines and marks in the page's data.
const char* Name(Dash dash);
const char* Name(Mark mark);

// A position in pixels from the upper left corner.
struct Place {
  double x, y;
};

struct Stroke {
  std::string color;  // #rrggbb
  double width = 1;
  Dash dash = Dash::kSolid;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::kStart;
  std::string color = "#1c2128";
  bool upwards = false;  // turned by 90 degrees
};

class Canvas {
 public:
  Canvas(double width, double height);

  void Line(const std::vector<Place>& places, const Stroke& stroke);
  // The polygon between the places, filled.
  void Area(const std::vector<Place>& places, const std::string& color, double opacity);
  void Box(Place corner, double width, double height, const std::string& fill,
           const Stroke& stroke);
  void Dot(Place center, double radius, const std::string& fill, const Stroke& stroke);
  // About as large as a dot of that radius.
  void Sign(Place center, double radius, Mark mark, const std::string& color);
  // Draws text whose baseline is at `place`.
  void Text(Place place, const std::string& text, const TextStyle& style);

  // The texts of the files.
  std::string Svg() const { return svg_ + "</svg>\n"; }
  std::string Tikz() const { return tikz_ + "\\end{tikzpicture}\n"; }

 private:
  double points_;  // of LaTeX, to a pixel
  std::string svg_, tikz_;
};

// A plot as a value, and its two forms, SVG and pgfplots: axes with round ticks, curves or dots,
// bands, dashed lines and a legend.

struct Series {
  struct Point {
    double x, y;
    double below, above;  // of the band; equal to y without one
  };
  std::string title;
  Look look;
  std::vector<Point> points;  // those that are not finite are gaps
  bool as_dots = false;
};

struct Plot {
  std::string title = {}, x_title = {}, y_title = {};
  std::vector<Series> series = {};
  std::vector<double> vertical_lines = {};
  std::vector<std::pair<double, std::string>> horizontal_lines = {};  // with what they mean
  double most_y = 0;  // the axis ends there; 0: where the data ends
  // The axis is logarithmic and begins at the least value instead of 0. Requires: all above 0.
  bool logarithmic_x = false;
};

inline constexpr double kPlotWidth = 480, kPlotHeight = 330;

Canvas DrawPlot(const Plot& plot);

// A tikzpicture, and the files that it reads, by their paths.
struct PgfPlot {
  std::string tex;
  std::map<std::string, std::string> data;
};

// `place` is the path of the figure among the figures, without an ending, as
// "edit-distance/parity".
PgfPlot FormatPgf(const Plot& plot, const std::string& place);

// Draws a plot as text of so many columns and rows, with its legend below.
std::string FormatText(const Plot& plot, std::size_t columns, std::size_t rows);

// A number from 0 to 1 for every value of a metric: 1 for the best.
struct Scale {
  double worst = 0, best = 1;

  double At(double value) const;
};

// Returns a scale from chance to 1 for accuracies, and from 0 to 1 for other shares; else one over
// these values and 0.
Scale ScaleOf(const ReportMetric& metric, const std::vector<double>& values);

// White at 0, blue at 1.
std::string ShadeOf(double strength);

// Values over two ordered axes, the darker the better.
struct HeatMap {
  std::string title;
  std::string x_title, y_title;
  std::vector<std::string> x, y;  // in ascending order
  // A row per y; nothing where there is no value.
  std::vector<std::vector<std::optional<double>>> values;
  Scale scale = {};
  int decimals = 2;
};

Canvas DrawHeatMap(const HeatMap& map);

// Does any point of it have a band?
bool HasBand(const Series& series);

// Round numbers from 0 up to about `most`: steps of 1, 2 or 5 times a power of ten, and whole if
// `most` is large enough for it.
std::vector<double> TicksUpTo(double most);

// 1, 2 or 5 times powers of ten in a range of positive numbers; powers of ten alone if that is
// many.
std::vector<double> LogarithmicTicks(double least, double most);

// Returns k if every k-th point of a series of this many points gets a mark.
std::size_t MarkEvery(std::size_t points);

}  // namespace flare::report

#endif  // FLARE_REPORT_PLOT_H_
