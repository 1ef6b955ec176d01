#include "flare/base/json.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/json_fault.h"

namespace flare {
namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMostMembers = 10'000;

// What a command line gives need not be UTF-8.
std::string Shown(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json ParseJson(std::string_view text, const std::string& where) {
  std::vector<std::size_t> members;  // of every object and list that is open
  const auto check = [&](int, Json::parse_event_t event, const Json&) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        if (members.size() == kDeepest) {
          throw InputError(where, fmt::format("is nested more than {} levels deep", kDeepest));
        }
        members.push_back(0);
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        members.pop_back();
        break;
      case Json::parse_event_t::key:
        if (++members.back() > kMostMembers) {
          throw InputError(where,
                           fmt::format("has an object of more than {} members", kMostMembers));
        }
        break;
      case Json::parse_event_t::value:
        break;
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {
    throw InputError(where, fmt::format("is not JSON: {}", FaultOf(error)));
  }
}

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key) {
  if (there == wanted) return "";
  if (there.is_object() && wanted.is_object()) {
    const std::string prefix = key.empty() ? "" : key + ".";
    for (const auto& [name, value] : wanted.items()) {
      if (!there.contains(name)) {
        return fmt::format("{}{} is missing, not {}", prefix, name, Shown(value));
      }
      std::string difference = FirstDifference(there.at(name), value, prefix + name);
      if (!difference.empty()) return difference;
    }
    for (const auto& [name, value] : there.items()) {
      if (!wanted.contains(name)) {
        return fmt::format("{}{} is {}, not missing", prefix, name, Shown(value));
      }
    }
    return fmt::format("{} is in a different order", key.empty() ? "the document" : key);
  }
  const std::string is = Shown(there), should_be = Shown(wanted);
  constexpr std::size_t kLongest = 80;
  if (is.size() > kLongest || should_be.size() > kLongest) return key + " differs";
  return fmt::format("{} is {}, not {}", key, is, should_be);
}

}  // namespace flare
