// Resumes a run, and continues one beyond the limit of epochs or steps that ended it.

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/training/run.h"
#include "flare/training/trained_model.h"

namespace flare {
namespace {

// Throws InputError unless a limit ended the run, or somebody stopped it, so that it can continue
// from there.
void CheckCanGoOn(const RunDirectory& run, const RunPlan& plan) {
  if (run.is_finished() && !run.ReadResult().ended_by_limit()) {
    throw InputError(
        run.path(), fmt::format("ended by \"{}\", not by its limit", run.ReadResult().stop_reason));
  }
  if (!std::filesystem::exists(run.checkpoint())) {
    throw InputError(run.path(), "has no checkpoint to continue from",
                     "the version that finished it did not keep one");
  }
  const TrainingProgress progress = LoadCheckpoint(run, plan).progress;
  if (!progress.stop_reason.empty()) {
    throw InputError(run.checkpoint(), fmt::format("is from training that was ended by \"{}\"",
                                                   progress.stop_reason));
  }
}

}  // namespace

bool RaisesLimit(const RunDirectory& run, const RunPlan& plan) {
  const RunConfig there = run.ReadConfig();
  RunConfig wanted = plan.config();
  const bool raises = HasHigherLimit(wanted.settings, there.settings);
  if (raises) TakeLimits(there.settings, wanted.settings);
  CheckSameRun(run, wanted);
  if (!raises) return false;
  CheckSameArithmetic(run, there, wanted);
  CheckCanGoOn(run, plan);
  return true;
}

}  // namespace flare
