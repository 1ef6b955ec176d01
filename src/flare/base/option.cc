#include "flare/base/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

std::string OptionValue(const Option& option, const std::string& text, const std::string& where) {
  if (!option.values.empty()) {
    ExpectOneOf(option.values, text, where);
    return text;
  }
  const auto number = ParseNumber<std::uint64_t>(text);
  if (!number || *number < option.least || *number > option.most) {
    throw InputError(where, fmt::format("{} is not a whole number from {} to {}", Quoted(text),
                                        option.least, option.most));
  }
  return std::to_string(*number);
}

std::size_t OptionNumber(const OptionTexts& options, const std::string& name) {
  const auto found = options.find(name);
  FLARE_CHECK(found != options.end());
  const auto number = ParseNumber<std::size_t>(found->second);
  FLARE_CHECK(number.has_value());
  return *number;
}

}  // namespace flare
