// How far trivial recognizers get on the data of a sweep: baselines/LANG.json
// (runs/sweep_file.h).

#ifndef FLARE_EXPERIMENTS_SWEEP_BASELINES_H_
#define FLARE_EXPERIMENTS_SWEEP_BASELINES_H_

#include <filesystem>
#include <map>
#include <string>

#include "flare/base/long_work.h"
#include "flare/experiments/plan.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/run_data.h"

namespace flare {

// Does the folder hold nothing but baselines and what a crash may have left of them?
bool HoldsBaselines(const std::filesystem::path& folder);

// Makes the baselines that are missing, damaged or of other data. `planned` says whether the sweep
// existed before.
void MakeBaselines(const Sweep& sweep, const std::map<std::string, RunData>& data, bool planned,
                   const PlanOptions& options, ProgressObserver& observer);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SWEEP_BASELINES_H_
