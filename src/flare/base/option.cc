#include "flare/base/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/number.h"
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

}  // namespace flare
