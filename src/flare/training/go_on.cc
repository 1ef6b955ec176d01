// Going on with a run that is begun, also beyond its epoch limit.

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/runs/integrity.h"
#include "flare/training/known_names.h"
#include "flare/training/run.h"
#include "flare/training/trained_model.h"

namespace flare {
namespace {

// Throws InputError unless the run can go on where its limit ended it, or somebody stopped it.
void CheckCanGoOn(const RunDirectory& run, const RunPlan& plan) {
  if (run.is_finished() && !run.ReadResult().ended_by_limit()) {
    throw InputError(run.path(), fmt::format("ended by \"{}\", not by its epoch limit",
                                             run.ReadResult().stop_reason));
  }
  if (!std::filesystem::exists(run.checkpoint())) {
    throw InputError(run.path(), "has no checkpoint to go on from",
                     "the version that finished it did not keep one");
  }
  const TrainingProgress progress = LoadCheckpoint(run, plan).progress;
  if (!progress.stop_reason.empty()) {
    throw InputError(run.checkpoint(),
                     fmt::format("is of training that has ended by \"{}\"", progress.stop_reason));
  }
}

}  // namespace

void GoOnWith(const OwnedRun& run, const RunPlan& plan) {
  const RunDirectory& directory = run.directory();
  RunConfig there = directory.ReadConfig(KnownNames());
  RunConfig wanted = plan.config();
  const std::size_t limit = wanted.settings.max_epochs;
  const bool is_higher = limit > there.settings.max_epochs;
  if (is_higher) wanted.settings.max_epochs = there.settings.max_epochs;
  CheckSameRun(directory, wanted, KnownNames());
  if (!is_higher) return;
  CheckSameArithmetic(directory, there, wanted);
  CheckCanGoOn(directory, plan);
  // In this order: a run is never finished with a limit that did not end it.
  if (directory.is_finished()) run.Remove(directory.result());
  there.settings.max_epochs = limit;
  run.Write(directory.config(), CheckedText(ConfigToJson(there, KnownNames())));
}

}  // namespace flare
