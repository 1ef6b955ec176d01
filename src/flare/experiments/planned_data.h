// Makes the datasets of a sweep by the grid's recipe, or takes them as they are, and records the
// hash that each must have from then on.

#ifndef FLARE_EXPERIMENTS_PLANNED_DATA_H_
#define FLARE_EXPERIMENTS_PLANNED_DATA_H_

#include <filesystem>
#include <map>
#include <string>

#include "flare/base/long_work.h"
#include "flare/experiments/plan.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/run_data.h"

namespace flare {

// Checks the languages of a grid and the recipe of their data. Throws InputError with the grid's
// file.
void CheckPlannedData(const Sweep& sweep);

// Throws InputError, naming the grid's file, if the data of a language lacks what runs with these
// settings need. If the data does not exist yet and the grid does not make it, the fault shows
// later.
void CheckTrainData(const Sweep& sweep, const RunSettings& settings);

// Makes the datasets that are missing, and records the hashes of all of them in `sweep`. If the
// sweep was planned before, `there` is that plan, and the hashes must agree with it. Returns the
// datasets by language, without those that are away and waited for. Throws InputError if a dataset
// is not what it should be.
std::map<std::string, RunData> PlanData(const Sweep& there, const PlanOptions& options,
                                        Sweep& sweep, ProgressObserver& observer);

// The accuracy of trivial recognizers on the data of a sweep: baselines/LANG.json
// (runs/sweep_file.h).

// Does the folder hold nothing but baselines and what a crash may have left of them?
bool HoldsBaselines(const std::filesystem::path& folder);

// Makes the baselines that are missing, damaged or of other data. `planned` says whether the sweep
// existed before.
void MakeBaselines(const Sweep& sweep, const std::map<std::string, RunData>& data, bool planned,
                   const PlanOptions& options, ProgressObserver& observer);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_PLANNED_DATA_H_
