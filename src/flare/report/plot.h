// What figures are drawn on, once for both of their forms: SVG and TikZ, whose text stays text, on
// white: a figure must be readable on whatever background it is put.

#ifndef FLARE_REPORT_PLOT_H_
#define FLARE_REPORT_PLOT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/report/palette.h"

namespace flare::report {

// In pixels, from the upper left corner.
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
  // At its baseline.
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
  std::string title, x_title, y_title;
  std::vector<Series> series;
  std::vector<double> vertical_lines;
  std::vector<std::pair<double, std::string>> horizontal_lines;  // with what they mean
  double most_y = 0;  // the axis ends there; 0: where the data ends
  // From the least value to the most, by its logarithm, instead of from 0. Requires: all above 0.
  bool logarithmic_x = false;
};

inline constexpr double kPlotWidth = 480, kPlotHeight = 330;

// On a canvas of these sizes.
void DrawPlot(const Plot& plot, Canvas& canvas);

// A tikzpicture, and the files that it reads, by their paths.
struct PgfPlot {
  std::string tex;
  std::map<std::string, std::string> data;
};

// `place` is the path of the figure among the figures, without an ending, as
// "edit-distance/parity".
PgfPlot FormatPgf(const Plot& plot, const std::string& place);

// Does any point of it have a band?
bool HasBand(const Series& series);

// Round numbers from 0 up to about `most`: steps of 1, 2 or 5 times a power of ten, and whole if
// `most` is large enough for it.
std::vector<double> TicksUpTo(double most);

// 1, 2 or 5 times powers of ten in a range of positive numbers; powers of ten alone if that is
// many.
std::vector<double> LogarithmicTicks(double least, double most);

// Of a series of so many points, each how-many-th has a mark.
std::size_t MarkEvery(std::size_t points);

}  // namespace flare::report

#endif  // FLARE_REPORT_PLOT_H_
