// How variants look, wherever they are drawn: a colour, a line and a mark of their own.

#ifndef FLARE_REPORT_PALETTE_H_
#define FLARE_REPORT_PALETTE_H_

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flare::report {

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

// Names of lines and marks in the page's data.
const char* Name(Dash dash);
const char* Name(Mark mark);

}  // namespace flare::report

#endif  // FLARE_REPORT_PALETTE_H_
