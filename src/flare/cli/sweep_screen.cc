#include "flare/cli/sweep_screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "flare/cli/tell.h"

namespace flare {
namespace {

// Lines that would wrap or scroll away could not be erased again.
winsize ScreenSize() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2 || size.ws_row < 4) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

}  // namespace

SweepScreen::SweepScreen() : terminal_(::isatty(STDERR_FILENO) != 0) {}

SweepScreen::~SweepScreen() { Erase(); }

void SweepScreen::Erase() {
  for (; lines_ > 0; --lines_) Tell("\033[A\033[2K");
  std::fflush(stderr);
}

void SweepScreen::Say(const std::string& line) {
  Erase();
  Tell("{}\n", line);
}

void SweepScreen::Show(const SweepView& view) {
  if (!terminal_) return;
  Erase();
  const winsize screen = ScreenSize();
  const std::size_t width = screen.ws_col;
  const auto print = [&](std::string line) {
    line.resize(std::min(line.size(), width - 1));
    Tell("{}\n", line);
    ++lines_;
  };
  const std::size_t bar = 20;
  const std::size_t filled = view.runs == 0 ? bar : bar * view.finished / view.runs;
  std::vector<std::string> pieces = {fmt::format("[{:=<{}}{: <{}}] {}/{} done", "", filled, "",
                                                 bar - filled, view.finished, view.runs),
                                     fmt::format("{} running", view.running.size())};
  if (view.held > 0) pieces.push_back(fmt::format("{} elsewhere", view.held));
  if (view.failed > 0) pieces.push_back(fmt::format("{} failed", view.failed));
  if (view.damaged > 0) pieces.push_back(fmt::format("{} damaged", view.damaged));
  pieces.push_back(fmt::format("{} left", view.left));
  pieces.push_back("about " + FormatDuration(view.seconds_left));
  if (view.examples_per_second > 0) {
    pieces.push_back(fmt::format("{:.0f} ex/s per core", view.examples_per_second));
  }
  // As many as have room: half a number would be another one.
  std::string counts = pieces[0];
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (counts.size() + 2 + pieces[i].size() >= width) break;
    counts += ", " + pieces[i];
  }
  print(counts);
  for (const auto& [run, seconds] : view.running) {
    if (lines_ + 2 >= screen.ws_row) break;
    print(fmt::format("  {}  {}", run, FormatDuration(seconds)));
  }
  std::fflush(stderr);
}

}  // namespace flare
