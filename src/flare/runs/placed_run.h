// A run of a sweep, read from its place, and checked to be whole and to be the run that the grid
// has there. Whatever is wrong with it is recorded with it: one run never stops a reader of a
// sweep.

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
  // Only if read from a record, which has no files next to it.
  std::shared_ptr<const RunCurves> curves = nullptr;
};

// Reads from a sweep's directory, not from records.
PlacedRun ReadPlacedRun(const Sweep& sweep, Coordinates at, const Names& names);

// Reads all that match the filter, in the order of the grid, from either. Throws InputError if a
// file of records is damaged.
std::vector<PlacedRun> ReadPlacedRuns(const Sweep& sweep, const Names& names,
                                      const RunFilter& filter = {});

// "seed is 1, not 2" if the run is not the one that the grid has at this place, or is of other data
// than the sweep was planned with; empty if it is.
std::string Displacement(const RunConfig& config, const Sweep& sweep, const Coordinates& at,
                         const Names& names);

}  // namespace flare

#endif  // FLARE_RUNS_PLACED_RUN_H_
