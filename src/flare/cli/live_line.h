// How far along training is: one line of a terminal that is rewritten at every epoch and
// checkpoint; where there is no terminal, a line per checkpoint that stays, but not more than one a
// minute, so that the log of a job shows that it lives.

#ifndef FLARE_CLI_LIVE_LINE_H_
#define FLARE_CLI_LIVE_LINE_H_

#include <string>
#include <utility>

#include "flare/base/clock.h"
#include "flare/cli/terminal.h"
#include "flare/training/trainer.h"

namespace flare {

class LiveLine {
 public:
  // `run` is what lines that stay begin with.
  explicit LiveLine(std::string run) : run_(std::move(run)) {}
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void Show(const CheckpointReport& report);

 private:
  const std::string run_;
  const bool terminal_ = HasTerminal();
  PlainPace pace_;
};

}  // namespace flare

#endif  // FLARE_CLI_LIVE_LINE_H_
