// JSON documents: nlohmann's, with the order of keys kept.

#ifndef FLARE_BASE_JSON_H_
#define FLARE_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace flare {

using Json = nlohmann::ordered_json;

// The document as text, with a newline at its end. Bytes that are not UTF-8 (of a file's name, say)
// become the replacement character: a report must not fail over them.
std::string JsonText(const Json& json);

// A member of the type that is wanted; nothing if it is missing or of another one.
template <class T>
std::optional<T> Member(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) return std::nullopt;
  } else if constexpr (std::is_unsigned_v<T>) {
    if (!found->is_number_unsigned()) return std::nullopt;
  } else {
    if (!found->is_number()) return std::nullopt;
  }
  return found->template get<T>();
}

// "a.b is 1, not 2" for the first leaf in which two documents differ; empty if in none. `key` is
// where they stand in a larger one.
std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key = "");

}  // namespace flare

#endif  // FLARE_BASE_JSON_H_
