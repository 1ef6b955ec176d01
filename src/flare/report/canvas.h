// What figures are drawn on: SVG, whose text stays text, on white: a figure must be readable on
// whatever background it is put.

#ifndef FLARE_REPORT_CANVAS_H_
#define FLARE_REPORT_CANVAS_H_

#include <string>
#include <vector>

namespace flare::report {

// In pixels, from the upper left corner.
struct Place {
  double x, y;
};

struct Stroke {
  std::string color;  // #rrggbb
  double width = 1;
  bool dashed = false;
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
  // At its baseline.
  void Text(Place place, const std::string& text, const TextStyle& style);

  // The text of the file.
  std::string Finish() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_CANVAS_H_
