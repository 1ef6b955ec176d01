// JSON documents: nlohmann's, with the order of keys kept.

#ifndef FLARE_BASE_JSON_H_
#define FLARE_BASE_JSON_H_

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace flare {

using Json = nlohmann::ordered_json;

// Reads a document. Throws InputError with `where` if it is not JSON, or if it is nested more than
// 100 levels deep (copying, comparing and writing a document recurse) or has an object of more than
// 10,000 members (finding one looks at all of them).
Json ParseJson(std::string_view text, const std::string& where);

// The document as text, with a newline at its end. Bytes that are not UTF-8 (of a file's name, say)
// become the replacement character: a report must not fail over them.
std::string JsonText(const Json& json);

// The whole number that a value is. nlohmann's own conversion takes 1.5 for 1, -1 for 2^64-1 and
// 1e300 for anything. Throws Json::exception.
template <std::integral T>
T Whole(const Json& value) {
  const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<std::uint64_t>())
                    : value.is_number_integer() ? std::in_range<T>(value.get<std::int64_t>())
                                                : false;
  if (!fits) {
    throw Json::type_error::create(302, "expected a whole number within its range", &value);
  }
  return value.get<T>();
}

// A list of them.
template <std::integral T>
std::vector<T> Wholes(const Json& list) {
  if (!list.is_array()) throw Json::type_error::create(302, "expected a list of numbers", &list);
  std::vector<T> numbers;
  for (const Json& value : list) numbers.push_back(Whole<T>(value));
  return numbers;
}

// The value, or null.
template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A member of the type that is wanted; nothing if it is missing or of another type.
template <class T>
std::optional<T> Member(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) return std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    try {
      return Whole<T>(*found);
    } catch (const Json::exception&) {
      return std::nullopt;
    }
  } else {
    if (!found->is_number()) return std::nullopt;
  }
  return found->template get<T>();
}

// "a.b is 1, not 2" for the first leaf in which two documents differ; empty if they do not. `key`
// is their place in a larger document.
std::string FirstDifference(const Json& there, const Json& wanted, const std::string& key = "");

}  // namespace flare

#endif  // FLARE_BASE_JSON_H_
