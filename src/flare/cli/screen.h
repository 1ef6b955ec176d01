// What is shown of a training and of a sweep while they go on, and of a run that is finished.

#ifndef FLARE_CLI_SCREEN_H_
#define FLARE_CLI_SCREEN_H_

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "flare/base/clock.h"
#include "flare/cli/terminal.h"
#include "flare/data/baselines.h"
#include "flare/experiments/workers.h"
#include "flare/runs/result.h"
#include "flare/training/trainer.h"

namespace flare {

// What is shown on stderr of a training and of a sweep while they go on.

// Shows the progress of training. On a terminal, it rewrites one line at every epoch and
// checkpoint. Elsewhere, it prints a line per checkpoint, but at most one a minute, so that the log
// of a job shows that the job lives.
class LiveLine {
 public:
  // Lines that stay begin with `run`.
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

// Shows the progress of a running sweep on stderr: on a terminal as a few lines that are redrawn,
// elsewhere as a line for each finished run and the overall progress once a minute.
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
  std::size_t lines_ = 0;  // the lines that the next update erases
};

// The metrics of a finished run, as a table for people.

// A line per split; dashes where there is no value. Beside the accuracy stand those of the trivial
// recognizers, if there are any.
std::string ResultTable(const RunResult& result, std::span<const BaselineRow> baselines = {});

}  // namespace flare

#endif  // FLARE_CLI_SCREEN_H_
