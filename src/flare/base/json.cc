#include "flare/base/json.h"

#include <fmt/format.h>

namespace flare {

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key) {
  if (there == wanted) return "";
  if (there.is_object() && wanted.is_object()) {
    const std::string prefix = key.empty() ? "" : key + ".";
    for (const auto& [name, value] : wanted.items()) {
      if (!there.contains(name)) {
        return fmt::format("{}{} is missing, not {}", prefix, name, value.dump());
      }
      const std::string difference = FirstDifference(there.at(name), value, prefix + name);
      if (!difference.empty()) return difference;
    }
    for (const auto& [name, value] : there.items()) {
      if (!wanted.contains(name)) {
        return fmt::format("{}{} is {}, not missing", prefix, name, value.dump());
      }
    }
    return fmt::format("{} is in another order", key.empty() ? "the document" : key);
  }
  const std::string is = there.dump(), should_be = wanted.dump();
  constexpr std::size_t kLongest = 80;
  if (is.size() > kLongest || should_be.size() > kLongest) return key + " is another";
  return fmt::format("{} is {}, not {}", key, is, should_be);
}

}  // namespace flare
