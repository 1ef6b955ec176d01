#include "flare/cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace flare {

bool HasTerminal() { return ::isatty(STDERR_FILENO) != 0; }

PlainPace::PlainPace() {
  const char* text = ::getenv("FLARE_PROGRESS");
  interval_ = text == nullptr ? 60 : ParseDuration(text, "$FLARE_PROGRESS");
}

bool PlainPace::IsDue() {
  if (since_.Seconds() < interval_) return false;
  since_ = {};
  return true;
}

TerminalSize SizeOfTerminal() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2 || size.ws_row < 4) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void Control(std::string_view sequence) {
  std::fwrite(sequence.data(), 1, sequence.size(), stderr);
  std::fflush(stderr);
}

std::string WhatFits(std::span<const std::string> pieces, std::string_view separator,
                     std::size_t columns) {
  std::string line;
  for (const std::string& piece : pieces) {
    const std::size_t more = piece.size() + (line.empty() ? 0 : separator.size());
    // The cursor needs the last column.
    if (!line.empty() && line.size() + more >= columns) break;
    if (!line.empty()) line += separator;
    line += piece;
  }
  line.resize(std::min(line.size(), columns - 1));
  return line;
}

}  // namespace flare
