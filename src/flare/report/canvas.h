// What figures are drawn on: SVG, whose text stays text, or PNG. Both come from the same calls, on
// white: a figure must be readable on whatever background it is put.

#ifndef FLARE_REPORT_CANVAS_H_
#define FLARE_REPORT_CANVAS_H_

#include <memory>
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
  virtual ~Canvas() = default;

  virtual void Line(const std::vector<Place>& places, const Stroke& stroke) = 0;
  // The polygon between the places, filled.
  virtual void Area(const std::vector<Place>& places, const std::string& color, double opacity) = 0;
  virtual void Box(Place corner, double width, double height, const std::string& fill,
                   const Stroke& stroke) = 0;
  virtual void Dot(Place center, double radius, const std::string& fill, const Stroke& stroke) = 0;
  // At its baseline.
  virtual void Text(Place place, const std::string& text, const TextStyle& style) = 0;

  // The bytes of the file.
  virtual std::string Finish() = 0;
};

std::unique_ptr<Canvas> MakeSvg(double width, double height);
// With two pixels for one.
std::unique_ptr<Canvas> MakePng(double width, double height);

}  // namespace flare::report

#endif  // FLARE_REPORT_CANVAS_H_
