#include "flare/base/json.h"

#include <fmt/format.h>

namespace flare {

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string FirstDifference(const Json& a, const Json& b, const std::string& key) {
  if (a == b) return "";
  if (a.is_object() && b.is_object()) {
    for (const auto& [name, value] : b.items()) {
      const std::string inner = key.empty() ? name : key + "." + name;
      if (!a.contains(name)) return fmt::format("{} is missing, not {}", inner, value.dump());
      const std::string difference = FirstDifference(a.at(name), value, inner);
      if (!difference.empty()) return difference;
    }
    for (const auto& [name, value] : a.items()) {
      if (!b.contains(name))
        return fmt::format("{}.{} is {}, not missing", key, name, value.dump());
    }
    return fmt::format("{} is in another order", key);
  }
  const std::string text_a = a.dump(), text_b = b.dump();
  constexpr std::size_t kLongest = 80;
  if (text_a.size() > kLongest || text_b.size() > kLongest) return key + " is another";
  return fmt::format("{} is {}, not {}", key, text_a, text_b);
}

}  // namespace flare
