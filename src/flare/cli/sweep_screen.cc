#include "flare/cli/sweep_screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "flare/cli/tell.h"
#include "flare/cli/terminal.h"

namespace flare {

SweepScreen::SweepScreen() : terminal_(HasTerminal()) {}

SweepScreen::~SweepScreen() { Erase(); }

void SweepScreen::Erase() {
  for (; lines_ > 0; --lines_) Control("\033[A\033[2K");
}

void SweepScreen::Say(const std::string& line) {
  Erase();
  Tell("{}\n", line);
}

namespace {

// What matters most comes first.
std::vector<std::string> Pieces(const SweepView& view) {
  std::vector<std::string> pieces = {fmt::format("{}/{} done", view.finished, view.runs),
                                     fmt::format("{} running", view.running.size())};
  if (view.held > 0) pieces.push_back(fmt::format("{} elsewhere", view.held));
  if (view.failed > 0) pieces.push_back(fmt::format("{} failed", view.failed));
  if (view.damaged > 0) pieces.push_back(fmt::format("{} damaged", view.damaged));
  pieces.push_back(fmt::format("{} left", view.left));
  pieces.push_back("about " + FormatDuration(view.seconds_left));
  if (view.examples_per_second > 0) {
    pieces.push_back(fmt::format("{:.0f} ex/s per core", view.examples_per_second));
  }
  return pieces;
}

}  // namespace

void SweepScreen::Show(const SweepView& view) {
  std::vector<std::string> pieces = Pieces(view);
  if (!terminal_) {
    if (pace_.IsDue()) Tell("flare: {}\n", fmt::format("{}", fmt::join(pieces, ", ")));
    return;
  }
  Erase();
  // Lines that would wrap or scroll away could not be erased again.
  const TerminalSize screen = SizeOfTerminal();
  const auto print = [&](std::string line) {
    line.resize(std::min(line.size(), screen.columns - 1));
    Tell("{}\n", line);
    ++lines_;
  };
  const std::size_t bar = 20;
  const std::size_t filled = view.runs == 0 ? bar : bar * view.finished / view.runs;
  pieces[0] = fmt::format("[{:=<{}}{: <{}}] {}", "", filled, "", bar - filled, pieces[0]);
  print(WhatFits(pieces, ", ", screen.columns));
  for (const auto& [run, seconds] : view.running) {
    if (lines_ + 2 >= screen.rows) break;
    print(fmt::format("  {}  {}", run, FormatDuration(seconds)));
  }
  std::fflush(stderr);
}

}  // namespace flare
