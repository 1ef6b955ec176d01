#include "flare/report/canvas.h"

#include <fmt/format.h>

namespace flare::report {
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
  return fmt::format(R"(stroke="{}" stroke-width="{:.4g}"{})", stroke.color, stroke.width,
                     stroke.dashed ? R"( stroke-dasharray="4 4")" : "");
}

std::string PointsText(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", place.x, place.y);
  }
  return text;
}

}  // namespace

Canvas::Canvas(double width, double height)
    : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                        "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
                        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                        width, height)) {}

void Canvas::Line(const std::vector<Place>& places, const Stroke& stroke) {
  text_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", PointsText(places),
                       StrokeText(stroke));
}
void Canvas::Area(const std::vector<Place>& places, const std::string& color, double opacity) {
  text_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n",
                       PointsText(places), color, opacity);
}
void Canvas::Box(Place corner, double width, double height, const std::string& fill,
                 const Stroke& stroke) {
  text_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" {}/>\n",
      corner.x, corner.y, width, height, fill, StrokeText(stroke));
}
void Canvas::Dot(Place center, double radius, const std::string& fill, const Stroke& stroke) {
  text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.4g}\" fill=\"{}\" {}/>\n",
                       center.x, center.y, radius, fill, StrokeText(stroke));
}
void Canvas::Text(Place place, const std::string& text, const TextStyle& style) {
  static const char* const kAnchors[] = {"start", "middle", "end"};
  text_ += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{2:.4g}\" text-anchor=\"{3}\" "
      "fill=\"{4}\"{5}>{6}</text>\n",
      place.x, place.y, style.size, kAnchors[static_cast<int>(style.anchor)], style.color,
      style.upwards ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", place.x, place.y)
                    : "",
      XmlEscaped(text));
}

}  // namespace flare::report
