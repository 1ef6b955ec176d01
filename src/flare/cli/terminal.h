// The terminal that people watch, on stderr: messages, and a bar for long work.

#ifndef FLARE_CLI_TERMINAL_H_
#define FLARE_CLI_TERMINAL_H_

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "flare/base/clock.h"
#include "flare/base/long_work.h"
#include "flare/base/text.h"

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

// Moves the cursor or erases, by a sequence that Tell would make visible instead.
void Control(std::string_view sequence);
constexpr std::string_view kEraseLine = "\r\033[K";

// The first pieces, as many as fit in a line of this many columns: a line that wraps cannot be
// erased, and half a number would be a different one.
std::string WhatFits(std::span<const std::string> pieces, std::string_view separator,
                     std::size_t columns);

// Prints messages for people on stderr.

// Like fmt::print, but does not fail if the terminal is gone, the disk is full or stderr is closed,
// since the work matters more than the messages. Names of files and hosts may contain anything, so
// control characters are made visible.
template <class... Values>
void Tell(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = Visible(fmt::format(format, std::forward<Values>(values)...), "\n\t");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// A progress bar on a terminal, plain lines elsewhere; always on stderr.
class ProgressBar : public ProgressObserver {
 public:
  ProgressBar();

  void Begin(std::size_t total, const std::string& unit) override;
  // Where there is no terminal, `line` is printed, or if it is empty, now and then how far it is;
  // on one, the bar moves.
  void Step(const std::string& line) override;
  void Say(const std::string& line) override;
  // The bar is removed.
  void End() override;

 private:
  void Draw();
  void Erase();

  std::mutex mutex_;
  std::size_t done_ = 0, total_ = 0;
  std::string unit_;
  PlainPace pace_;
  const bool terminal_;
};

}  // namespace flare

#endif  // FLARE_CLI_TERMINAL_H_
