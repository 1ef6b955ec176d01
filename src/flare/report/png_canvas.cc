#include <cairo/cairo.h>

#include <cstdlib>
#include <new>

#include "flare/report/canvas.h"
#include "flare/report/font.h"

namespace flare::report {
namespace {

constexpr double kScale = 2;

struct FreeSurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct FreeContext {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

cairo_status_t AppendBytes(void* to, const unsigned char* bytes, unsigned int size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

class PngCanvas : public Canvas {
 public:
  PngCanvas(double width, double height)
      : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(kScale * width),
                                            static_cast<int>(kScale * height))),
        context_(cairo_create(surface_.get())) {
    CheckMemory();
    cairo_scale(context_.get(), kScale, kScale);
    SetColor("#ffffff");
    cairo_paint(context_.get());
  }

  void Line(const std::vector<Place>& places, const Stroke& stroke) override {
    Path(places);
    Draw(stroke);
  }
  void Area(const std::vector<Place>& places, const std::string& color, double opacity) override {
    Path(places);
    SetColor(color, opacity);
    cairo_fill(context_.get());
  }
  void Box(Place corner, double width, double height, const std::string& fill,
           const Stroke& stroke) override {
    cairo_rectangle(context_.get(), corner.x, corner.y, width, height);
    SetColor(fill);
    cairo_fill_preserve(context_.get());
    Draw(stroke);
  }
  void Dot(Place center, double radius, const std::string& fill, const Stroke& stroke) override {
    constexpr double kTurn = 6.283185307179586;
    cairo_new_sub_path(context_.get());
    cairo_arc(context_.get(), center.x, center.y, radius, 0, kTurn);
    SetColor(fill);
    cairo_fill_preserve(context_.get());
    Draw(stroke);
  }
  void Text(Place place, const std::string& text, const TextStyle& style) override {
    cairo_t* context = context_.get();
    cairo_save(context);
    const Lettering letters = font_.Set(text, style.size);
    cairo_translate(context, place.x, place.y);
    if (style.upwards) cairo_rotate(context, -1.5707963267948966);
    const double share = style.anchor == Anchor::kStart ? 0
                         : style.anchor == Anchor::kEnd ? 1
                                                        : 0.5;
    cairo_translate(context, -share * letters.width, 0);
    cairo_new_path(context);
    for (const Segment& segment : letters.outlines) Append(segment);
    SetColor(style.color);
    cairo_fill(context);
    cairo_restore(context);
  }
  std::string Finish() override {
    // A call that found no memory has drawn nothing, nor have those after it.
    CheckMemory();
    std::string bytes;
    if (cairo_surface_write_to_png_stream(surface_.get(), AppendBytes, &bytes) !=
        CAIRO_STATUS_SUCCESS) {
      throw std::bad_alloc();
    }
    return bytes;
  }

 private:
  // Only memory can be lacking: sizes, formats and paths are ours.
  void CheckMemory() const {
    if (cairo_status(context_.get()) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
  }
  void Append(const Segment& segment) {
    const auto& [kind, to, control1, control2] = segment;
    switch (kind) {
      case Segment::Kind::kMove:
        return cairo_move_to(context_.get(), to.x, to.y);
      case Segment::Kind::kLine:
        return cairo_line_to(context_.get(), to.x, to.y);
      case Segment::Kind::kCurve:
        return cairo_curve_to(context_.get(), control1.x, control1.y, control2.x, control2.y, to.x,
                              to.y);
    }
  }
  void SetColor(const std::string& color, double opacity = 1) {
    const auto part = [&](std::size_t i) {
      return static_cast<double>(std::strtol(color.substr(i, 2).c_str(), nullptr, 16)) / 255;
    };
    cairo_set_source_rgba(context_.get(), part(1), part(3), part(5), opacity);
  }
  void Path(const std::vector<Place>& places) {
    cairo_new_path(context_.get());
    for (const Place& place : places) cairo_line_to(context_.get(), place.x, place.y);
  }
  void Draw(const Stroke& stroke) {
    const double dashes[] = {4, 4};
    SetColor(stroke.color);
    cairo_set_line_width(context_.get(), stroke.width);
    cairo_set_dash(context_.get(), dashes, stroke.dashed ? 2 : 0, 0);
    cairo_stroke(context_.get());
  }

  const Font font_;
  std::unique_ptr<cairo_surface_t, FreeSurface> surface_;
  std::unique_ptr<cairo_t, FreeContext> context_;
};

}  // namespace

std::unique_ptr<Canvas> MakePng(double width, double height) {
  return std::make_unique<PngCanvas>(width, height);
}

}  // namespace flare::report
