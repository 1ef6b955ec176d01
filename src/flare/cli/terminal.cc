#include "flare/cli/terminal.h"

#include <fmt/format.h>
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

ProgressBar::ProgressBar() : terminal_(HasTerminal()) {}

void ProgressBar::Begin(std::size_t total, const std::string& unit) {
  const std::lock_guard lock(mutex_);
  done_ = 0;
  total_ = total;
  unit_ = unit;
  pace_ = {};
  Draw();
}

void ProgressBar::End() {
  const std::lock_guard lock(mutex_);
  Erase();
}

void ProgressBar::Step(const std::string& line) {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (terminal_) {
    Draw();
  } else if (!line.empty()) {
    Tell("{}\n", line);
  } else if (pace_.IsDue()) {
    Tell("flare: {}/{} {}\n", done_, total_, unit_);
  }
}

void ProgressBar::Say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  Erase();
  Tell("{}\n", line);
  Draw();
}

void ProgressBar::Draw() {
  if (!terminal_ || total_ == 0) return;
  const std::string counts = fmt::format("{}/{} {}", done_, total_, unit_);
  // Two brackets, a space, and the last column, which the cursor needs.
  const std::size_t columns = SizeOfTerminal().columns, others = counts.size() + 4;
  const std::size_t width = std::min<std::size_t>(40, columns > others ? columns - others : 0);
  const std::size_t filled = width * done_ / total_;
  Control("\r");
  Tell("[{:=<{}}{: <{}}] {}", "", filled, "", width - filled, counts);
  std::fflush(stderr);
}

void ProgressBar::Erase() {
  if (!terminal_) return;
  Control(kEraseLine);
}

}  // namespace flare
