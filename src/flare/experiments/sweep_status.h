// How far a sweep is, from its directory alone: any terminal on any machine may ask.

#ifndef FLARE_EXPERIMENTS_SWEEP_STATUS_H_
#define FLARE_EXPERIMENTS_SWEEP_STATUS_H_

#include <optional>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/run_filter.h"
#include "flare/runs/run_state.h"
#include "flare/runs/sweep_file.h"

namespace flare {

struct RunStatus {
  Coordinates run;
  RunState state = RunState::kLeft;
  std::string owner;    // of a running one
  std::string failure;  // of a failed or damaged run: the reason
  std::optional<double> test_accuracy;
  double seconds = 0;       // by the clock
  double core_seconds = 0;  // of processor time
};

struct SweepStatus {
  std::vector<RunStatus> runs;
  std::size_t finished = 0, diverged = 0, failed = 0, damaged = 0, running = 0,
              left = 0;      // diverged ⊂ finished
  double seconds_spent = 0;  // core seconds of the finished runs
  double seconds_left = 0;   // core seconds, estimated
};

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter, const Names& names);

Json RunStatusToJson(const RunStatus& run);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SWEEP_STATUS_H_
