// Prints messages for people on stderr.

#ifndef FLARE_CLI_TELL_H_
#define FLARE_CLI_TELL_H_

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "flare/base/text.h"

namespace flare {

// Like fmt::print, but does not fail if the terminal is gone, the disk is full or stderr is closed,
// since the work matters more than the messages. Names of files and hosts may contain anything, so
// control characters are made visible.
template <class... Values>
void Tell(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = Visible(fmt::format(format, std::forward<Values>(values)...), "\n\t");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace flare

#endif  // FLARE_CLI_TELL_H_
