// A run of a sweep as it lies at its place: read, and checked to be whole and to be the run that
// the grid has there. Whatever is wrong with it stays with it: no reader of a sweep stops for one
// run.

#ifndef FLARE_RUNS_PLACED_RUN_H_
#define FLARE_RUNS_PLACED_RUN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/runs/coordinates.h"
#include "flare/runs/curves.h"
#include "flare/runs/names.h"
#include "flare/runs/result.h"
#include "flare/runs/run_config.h"
#include "flare/runs/run_filter.h"
#include "flare/runs/run_state.h"
#include "flare/runs/sweep_file.h"

namespace flare {

struct PlacedRun {
  Coordinates at;
  RunState state = RunState::kLeft;
  std::optional<RunConfig> config = {};  // if it is begun and not damaged
  std::optional<RunResult> result = {};  // iff it is finished or diverged
  std::string reason = {};               // why it failed, or what is damaged
  // Of a record, which has no files beside.
  std::shared_ptr<const RunCurves> curves = nullptr;
};

// Of a sweep's directory, not of records.
PlacedRun ReadPlacedRun(const Sweep& sweep, Coordinates at, const Names& names);
// All that the filter takes, in the order of the grid, of either. Throws InputError if a file of
// records is damaged.
std::vector<PlacedRun> ReadPlacedRuns(const Sweep& sweep, const Names& names,
                                      const RunFilter& filter = {});

// "seed is 1, not 2" if the run is not the one that the grid has at this place, or is of other data
// than the sweep was planned with; empty if it is.
std::string Displacement(const RunConfig& config, const Sweep& sweep, const Coordinates& at,
                         const Names& names);

}  // namespace flare

#endif  // FLARE_RUNS_PLACED_RUN_H_
