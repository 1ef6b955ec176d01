#include "flare/classes/class_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare::algebra {

ClassFilter ParseClassFilter(std::string_view text, const std::string& where) {
  ClassFilter filter;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    const bool holds = !item.starts_with('!');
    if (!holds) item.remove_prefix(1);
    const auto keys = PropertyKeys();
    if (std::find(keys.begin(), keys.end(), item) == keys.end()) {
      const std::vector<std::string> names(keys.begin(), keys.end());
      const auto nearest = Nearest(item, names);
      throw InputError(where, fmt::format("{} is not a class", Quoted(item)),
                       nearest ? fmt::format("did you mean {}?", *nearest)
                               : "'flare classify --json' lists them");
    }
    filter.push_back({std::string(item), holds});
    if (comma == std::string_view::npos) return filter;
    text.remove_prefix(comma + 1);
  }
}

std::optional<bool> Satisfies(const Classification& classification, const ClassFilter& filter) {
  bool known = true;
  for (const auto& [key, holds] : filter) {
    const auto& answer = classification.At(key).holds;
    if (answer && *answer != holds) return false;
    if (!answer) known = false;
  }
  return known ? std::optional(true) : std::nullopt;
}

}  // namespace flare::algebra
