#include "flare/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "flare/cli/tell.h"

namespace flare {

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) != 0) {}

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
  constexpr std::size_t kWidth = 40;
  const std::size_t filled = kWidth * done_ / total_;
  Tell("\r[{:=<{}}{: <{}}] {}/{} {}", "", filled, "", kWidth - filled, done_, total_, unit_);
  std::fflush(stderr);
}

void ProgressBar::Erase() {
  if (!terminal_) return;
  Tell("\r\033[K");
  std::fflush(stderr);
}

}  // namespace flare
