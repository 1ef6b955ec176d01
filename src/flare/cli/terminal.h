// The terminal that people watch, on stderr.

#ifndef FLARE_CLI_TERMINAL_H_
#define FLARE_CLI_TERMINAL_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "flare/base/clock.h"

namespace flare {

bool HasTerminal();

// When a line is due where there is no terminal: once a minute, or as often as $FLARE_PROGRESS says
// (90s, 15m; 0 for all lines).
class PlainPace {
 public:
  PlainPace();
  // True once per interval, from its end on.
  bool IsDue();

 private:
  double interval_;
  Stopwatch since_;
};

struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};
// Asked again every time, since windows change.
TerminalSize SizeOfTerminal();

// Moves the cursor or erases: what Tell would show instead.
void Control(std::string_view sequence);
constexpr std::string_view kEraseLine = "\r\033[K";

// The first pieces, as many as fit in a line of this many columns: a line that wraps cannot be
// erased, and half a number would be a different one.
std::string WhatFits(std::span<const std::string> pieces, std::string_view separator,
                     std::size_t columns);

}  // namespace flare

#endif  // FLARE_CLI_TERMINAL_H_
