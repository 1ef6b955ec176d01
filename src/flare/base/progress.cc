#include "flare/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "flare/base/tell.h"

namespace flare {

Progress::Progress(std::size_t total, std::string unit)
    : total_(total), unit_(std::move(unit)), terminal_(::isatty(STDERR_FILENO) != 0) {
  Draw();
}

Progress::~Progress() { Erase(); }

void Progress::Step(const std::string& line) {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (terminal_) {
    Draw();
  } else if (!line.empty()) {
    Tell("{}\n", line);
  }
}

void Progress::Say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  Erase();
  Tell("{}\n", line);
  Draw();
}

void Progress::Draw() {
  if (!terminal_ || total_ == 0) return;
  constexpr std::size_t kWidth = 40;
  const std::size_t filled = kWidth * done_ / total_;
  Tell("\r[{:=<{}}{: <{}}] {}/{} {}", "", filled, "", kWidth - filled, done_, total_, unit_);
  std::fflush(stderr);
}

void Progress::Erase() {
  if (!terminal_) return;
  Tell("\r\033[K");
  std::fflush(stderr);
}

}  // namespace flare
