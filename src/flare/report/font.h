// The letters of pictures, as outlines. The font is part of the program: what a system would choose
// differs from machine to machine, and looking for it touches what is not ours (with too little
// memory, fontconfig rewrote a system's cache without most of its fonts).

#ifndef FLARE_REPORT_FONT_H_
#define FLARE_REPORT_FONT_H_

#include <memory>
#include <string_view>
#include <vector>

#include "flare/report/canvas.h"

namespace flare::report {

// A part of an outline, from where the one before it ended. A curve is cubic: `to` is its end.
struct Segment {
  enum class Kind { kMove, kLine, kCurve };
  Kind kind;
  Place to;
  Place control1 = {}, control2 = {};
};

// Set from the origin to the right, y downwards; to be filled by the nonzero winding rule.
struct Lettering {
  double width = 0;
  std::vector<Segment> outlines;
};

class Font {
 public:
  Font();
  ~Font();

  // Bytes that are not UTF-8 are shown as U+FFFD.
  Lettering Set(std::string_view text, double size) const;

 private:
  struct Face;
  std::unique_ptr<Face> face_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_FONT_H_
