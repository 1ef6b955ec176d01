// Shows the progress of a running sweep on stderr: on a terminal as a few lines that are redrawn,
// elsewhere as a line for each finished run and the overall progress once a minute.

#ifndef FLARE_CLI_SWEEP_SCREEN_H_
#define FLARE_CLI_SWEEP_SCREEN_H_

#include <cstddef>
#include <string>

#include "flare/cli/terminal.h"
#include "flare/experiments/workers.h"

namespace flare {

class SweepScreen {
 public:
  SweepScreen();
  ~SweepScreen();
  SweepScreen(const SweepScreen&) = delete;
  SweepScreen& operator=(const SweepScreen&) = delete;

  // Prints a line that stays.
  void Say(const std::string& line);
  void Show(const SweepView& view);

 private:
  void Erase();

  bool terminal_;
  PlainPace pace_;
  std::size_t lines_ = 0;  // on the screen below what stays
};

}  // namespace flare

#endif  // FLARE_CLI_SWEEP_SCREEN_H_
