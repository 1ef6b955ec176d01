// Plans a sweep: its directory (runs/sweep_file.h), the datasets it needs, and their baselines.

#ifndef FLARE_EXPERIMENTS_SWEEP_DIRECTORY_H_
#define FLARE_EXPERIMENTS_SWEEP_DIRECTORY_H_

#include <filesystem>

#include "flare/base/progress.h"
#include "flare/experiments/plan_options.h"
#include "flare/runs/sweep_file.h"

namespace flare {

// What the names of a grid mean: its languages, the settings of its datasets, the sizes of its
// models. Throws InputError with the grid's file.
void CheckMeaning(const Sweep& sweep);

// Makes the sweep directory, the datasets that are missing, and their baselines. An existing OUT
// must be of the same grid and data, or, with `extend`, of a grid that the new one contains. Throws
// InputError naming the difference.
Sweep PlanSweep(const Grid& grid, const std::filesystem::path& data,
                const std::filesystem::path& out, const PlanOptions& options,
                ProgressObserver& observer);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SWEEP_DIRECTORY_H_
