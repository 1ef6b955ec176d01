// The data of a sweep: datasets that are made by the grid's recipe, or taken as they are, and the
// hash that a sweep keeps to from then on.

#ifndef FLARE_EXPERIMENTS_PLANNED_DATA_H_
#define FLARE_EXPERIMENTS_PLANNED_DATA_H_

#include <map>
#include <string>

#include "flare/base/progress.h"
#include "flare/experiments/plan.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/run_data.h"

namespace flare {

// What the grid says of its languages and of the recipe of their data. Throws InputError with the
// grid's file.
void CheckMeaningOfData(const Sweep& sweep);

// Throws InputError, with the grid's file, if a run with these settings could not train on the data
// of a language as they say. Data that is not there and not made by the grid says it later.
void CheckTrainData(const Sweep& sweep, const RunSettings& settings);

// Makes the datasets that are missing, and pins all of them in `sweep`, to what the sweep that is
// `there` has if it was planned before. Returns them by language, without those that are waited
// for. Throws InputError if one is not what it should be.
std::map<std::string, RunData> PlanData(const Sweep& there, const PlanOptions& options,
                                        Sweep& sweep, ProgressObserver& observer);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_PLANNED_DATA_H_
