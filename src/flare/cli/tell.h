// Talk to people, on stderr.

#ifndef FLARE_CLI_TELL_H_
#define FLARE_CLI_TELL_H_

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "flare/base/text.h"

namespace flare {

// As fmt::print, except that a terminal that is gone, a full disk or a closed stderr is not a
// reason to fail: the work matters more than the talk about it. Names of files and hosts may hold
// anything; what a terminal would obey is shown instead.
template <class... Values>
void Tell(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = Visible(fmt::format(format, std::forward<Values>(values)...), "\n\t");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace flare

#endif  // FLARE_CLI_TELL_H_
