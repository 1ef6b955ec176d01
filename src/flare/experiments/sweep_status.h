// Finds out how far a sweep is, from its directory alone, so that any machine can ask.

#ifndef FLARE_EXPERIMENTS_SWEEP_STATUS_H_
#define FLARE_EXPERIMENTS_SWEEP_STATUS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/coordinates.h"
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

// Reads of a finished run its result.json alone, so that it may be asked often.
SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter);

// A run as `sweep status` and `sweep list` show it.
Json RunToJson(const Run& run);

// Estimates how long runs take, from measurements of similar runs, and by a rule of thumb before
// there are any. The estimates order the work and tell when it will be done; no result depends on
// them.
class CostModel {
 public:
  explicit CostModel(const Grid& grid);

  void Observe(const Coordinates& run, double seconds);
  // Seconds on one core.
  double Expect(const Coordinates& run) const;

 private:
  // Estimates the seconds before anything was measured.
  double RuleOfThumb(const Coordinates& run) const;

  struct Mean {
    std::size_t runs = 0;
    double seconds = 0;  // their total
    double rule = 0;     // the total that the rule of thumb estimated for them
  };
  std::map<std::pair<std::string, std::string>, Mean> by_kind_;  // variant, loss
  Mean all_;
  double examples_;  // the expected number of examples of a run
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SWEEP_STATUS_H_
