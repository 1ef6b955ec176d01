#include "flare/report/palette.h"

#include <algorithm>
#include <set>

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

const char* Name(Dash dash) {
  static constexpr std::array<const char*, 4> names = {"solid", "dashed", "dotted", "dash-dotted"};
  return names[static_cast<std::size_t>(dash)];
}

const char* Name(Mark mark) {
  static constexpr std::array<const char*, kMarks> names = {"dot",  "square", "triangle", "diamond",
                                                            "ring", "frame",  "cross",    "plus"};
  return names[static_cast<std::size_t>(mark)];
}

}  // namespace flare::report
