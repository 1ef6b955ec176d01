// Finds out how far a sweep is, from its directory alone, so that any machine can ask.

#ifndef FLARE_EXPERIMENTS_SWEEP_STATUS_H_
#define FLARE_EXPERIMENTS_SWEEP_STATUS_H_

#include <vector>

#include "flare/base/json.h"
#include "flare/runs/grid.h"
#include "flare/runs/run.h"
#include "flare/runs/sweep_file.h"

namespace flare {

struct SweepStatus {
  std::vector<Run> runs;
  std::size_t finished = 0, diverged = 0, failed = 0, damaged = 0, running = 0,
              left = 0;      // diverged ⊂ finished
  double seconds_spent = 0;  // core seconds of the finished runs
  double seconds_left = 0;   // core seconds, estimated
};

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter);

// A run as `sweep status` and `sweep list` show it.
Json RunToJson(const Run& run);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SWEEP_STATUS_H_
