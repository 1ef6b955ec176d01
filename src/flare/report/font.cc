#include "flare/report/font.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <new>

#include "flare/base/check.h"
#include "flare/base/text.h"
#include "flare/report/embedded.h"

namespace flare::report {
namespace {

// FreeType fails only for lack of memory: the font is known to be good.
void CheckFreeType(FT_Error error) {
  if (error == FT_Err_Out_Of_Memory) throw std::bad_alloc();
  FLARE_CHECK(error == 0);
}

// Appends to a lettering what FT_Outline_Decompose walks along, in units of the font.
class OutlineWriter {
 public:
  OutlineWriter(Lettering& lettering, double scale) : lettering_(lettering), scale_(scale) {}

  void Move(const FT_Vector& to) { Append({Segment::Kind::kMove, ToPlace(to)}); }
  void Line(const FT_Vector& to) { Append({Segment::Kind::kLine, ToPlace(to)}); }
  void Conic(const FT_Vector& control, const FT_Vector& to) {
    const Place c = ToPlace(control), end = ToPlace(to);
    // The cubic curve that is the same.
    const auto toward = [&](Place from) {
      return Place{from.x + (c.x - from.x) * 2 / 3, from.y + (c.y - from.y) * 2 / 3};
    };
    Append({Segment::Kind::kCurve, end, toward(at_), toward(end)});
  }
  void Cubic(const FT_Vector& control1, const FT_Vector& control2, const FT_Vector& to) {
    Append({Segment::Kind::kCurve, ToPlace(to), ToPlace(control1), ToPlace(control2)});
  }

 private:
  Place ToPlace(const FT_Vector& vector) const {
    return {lettering_.width + scale_ * static_cast<double>(vector.x),
            -scale_ * static_cast<double>(vector.y)};
  }
  void Append(const Segment& segment) {
    lettering_.outlines.push_back(segment);
    at_ = segment.to;
  }

  Lettering& lettering_;
  const double scale_;
  Place at_ = {};
};

}  // namespace

struct Font::Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  Face() = default;
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;
  ~Face() { FT_Done_FreeType(library); }  // with its faces; nothing if there is none
};

Font::Font() : face_(std::make_unique<Face>()) {
  const std::string_view file = EmbeddedFile("DejaVuSans.ttf");
  CheckFreeType(FT_Init_FreeType(&face_->library));
  CheckFreeType(FT_New_Memory_Face(face_->library, reinterpret_cast<const FT_Byte*>(file.data()),
                                   static_cast<FT_Long>(file.size()), 0, &face_->face));
}

Font::~Font() = default;

Lettering Font::Set(std::string_view text, double size) const {
  constexpr FT_ULong kReplacement = 0xfffd;
  const FT_Face face = face_->face;
  const double scale = size / face->units_per_EM;
  Lettering lettering;
  OutlineWriter writer(lettering, scale);
  FT_Outline_Funcs calls = {};
  calls.move_to = [](const FT_Vector* to, void* user) {
    return static_cast<OutlineWriter*>(user)->Move(*to), 0;
  };
  calls.line_to = [](const FT_Vector* to, void* user) {
    return static_cast<OutlineWriter*>(user)->Line(*to), 0;
  };
  calls.conic_to = [](const FT_Vector* control, const FT_Vector* to, void* user) {
    return static_cast<OutlineWriter*>(user)->Conic(*control, *to), 0;
  };
  calls.cubic_to = [](const FT_Vector* control1, const FT_Vector* control2, const FT_Vector* to,
                      void* user) {
    return static_cast<OutlineWriter*>(user)->Cubic(*control1, *control2, *to), 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto character = Utf8CharacterAt(text, i);
    const FT_ULong code = character ? CodePoint(*character) : kReplacement;
    i += character ? character->size() : 1;
    // Unscaled and without hints: outlines are the same at every size, on every machine.
    CheckFreeType(FT_Load_Char(face, code, FT_LOAD_NO_SCALE));
    CheckFreeType(FT_Outline_Decompose(&face->glyph->outline, &calls, &writer));
    lettering.width += scale * static_cast<double>(face->glyph->metrics.horiAdvance);
  }
  return lettering;
}

}  // namespace flare::report
