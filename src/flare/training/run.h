// Executes a run from its first step to its last file: begins or resumes it, trains, evaluates and
// finishes. A run that is killed at any moment and executed again ends with the same bits.

#ifndef FLARE_TRAINING_RUN_H_
#define FLARE_TRAINING_RUN_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/runs/run_directory.h"
#include "flare/training/measure.h"
#include "flare/training/run_data.h"
#include "flare/training/trainer.h"

namespace flare {

// Options of an execution, none of which changes the result.
struct RunOptions {
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  // The state is saved at most this often, or less if that would take more than 2 % of the time.
  double save_interval = 10;
  StopRequest stop;
  std::function<void(const CheckpointReport&)> report;
};

// The settings and data of a run.
struct RunPlan {
  RunSettings settings;
  RunData data;

  RunConfig config() const { return {settings, data.pinned}; }
};

// Throws InputError, naming the first setting in which they differ, if a checkpoint in `file` was
// made by another run than the plan's.
void CheckBelongsToRun(const TrainingProgress& progress, const RunPlan& plan,
                       const std::string& file);

// Throws InputError if another program trains the run.
void CheckIsOurs(const RunConfig& config, const std::string& where);

// The plan of a run that was begun. Throws InputError.
RunPlan ReadPlan(const RunDirectory& run);

struct RunEnd {
  bool finished = false;
  std::string reason;  // why it stopped, if it is not finished
};

// Can the limits of epochs and steps be raised? They have no effect before they are reached, unless
// the schedule depends on them.
bool LimitsCanChange(const RunSettings& settings);
bool HasHigherLimit(const RunSettings& settings, const RunSettings& than);
void TakeLimits(const RunSettings& from, RunSettings& settings);

// Throws InputError unless the run that was begun there is the plan's. True if the plan has a
// higher limit, under which the run can continue: one that its limit ended, or that is not
// finished.
bool RaisesLimit(const RunDirectory& run, const RunPlan& plan);

// Requires: the run is not finished, or the plan raises its limit; and if it was begun, its plan is
// this one but for that. Then it continues as if the limit had been given at first. A run that
// cannot continue stays as it is. Throws InputError, IoError, RunLost.
RunEnd ExecuteRun(const OwnedRun& run, const RunPlan& plan, const RunOptions& options);

// Does the loss or one of its figures use next-symbol sets?
bool NeedsNextSymbols(const RunSettings& settings);

// The automaton of the data's language if the loss tracks its states. Throws InputError if that has
// none.
std::optional<StateTracker> TrackerFor(const RunSettings& settings, const RunData& data);

// The recognizer that a run has trained, or has trained so far.
struct TrainedModel {
  std::unique_ptr<Model> model;
  // The epoch of the best checkpoint so far, if the run is not finished.
  std::optional<std::size_t> best_so_far;
};

// The contents of a checkpoint. LoadCheckpoint throws InputError if there is none, or if its model
// is not that of the plan.
struct SavedState {
  std::unique_ptr<Model> model;
  TrainingProgress progress;
  BestParameters best;
};
SavedState LoadCheckpoint(const RunDirectory& run, const RunPlan& plan);

// Works while somebody else trains the run. Throws InputError.
TrainedModel LoadModel(const RunDirectory& run, const RunPlan& plan);

}  // namespace flare

#endif  // FLARE_TRAINING_RUN_H_
