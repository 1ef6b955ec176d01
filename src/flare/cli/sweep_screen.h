// What a person sees of a running sweep: on a terminal a few lines that are redrawn, elsewhere a
// line per finished run, and once a minute how far along it is. Always on stderr.

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

  // A line that stays.
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
