// Numbers as text, which must be all of it: no sign before a count, no space, nothing after.

#ifndef FLARE_BASE_NUMBER_H_
#define FLARE_BASE_NUMBER_H_

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace flare {

// Nothing if the text is not a number or does not fit. Locale does not matter.
template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace flare

#endif  // FLARE_BASE_NUMBER_H_
