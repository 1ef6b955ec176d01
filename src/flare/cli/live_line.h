// How far along training is, in one line of a terminal that is rewritten at every epoch and
// checkpoint; nothing where there is no terminal.

#ifndef FLARE_CLI_LIVE_LINE_H_
#define FLARE_CLI_LIVE_LINE_H_

#include "flare/cli/terminal.h"
#include "flare/training/trainer.h"

namespace flare {

class LiveLine {
 public:
  LiveLine() = default;
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void Show(const CheckpointReport& report);

 private:
  const bool terminal_ = HasTerminal();
};

}  // namespace flare

#endif  // FLARE_CLI_LIVE_LINE_H_
