#include "flare/cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "flare/cli/tell.h"
#include "flare/cli/terminal.h"

namespace flare {

ProgressBar::ProgressBar() : terminal_(HasTerminal()) {}

void ProgressBar::Begin(std::size_t total, const std::string& unit) {
  const std::lock_guard lock(mutex_);
  done_ = 0;
  total_ = total;
  unit_ = unit;
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
