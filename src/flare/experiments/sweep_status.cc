#include "flare/experiments/sweep_status.h"

#include <utility>

#include "flare/base/error.h"
#include "flare/experiments/cost_model.h"
#include "flare/runs/placed_run.h"
#include "flare/runs/run_directory.h"

namespace flare {
namespace {

// Who holds it; the lock of a process that died on this machine does not count.
void LookAtLock(const RunDirectory& directory, RunStatus& status) {
  LockObserver observer;
  LockOwner owner;
  const LockState lock = observer.Look(directory.lock(), &owner);
  status.owner = owner.Describe();
  if (lock == LockState::kDead || lock == LockState::kFree) status.state = RunState::kLeft;
}

RunStatus StatusOfRun(const Sweep& sweep, PlacedRun run) {
  RunStatus status;
  status.run = std::move(run.at);
  status.state = run.state;
  status.failure = std::move(run.reason);
  if (run.result) {
    status.seconds = run.result->seconds;
    status.core_seconds = run.result->core_seconds();
    status.test_accuracy = run.result->Metric("test", "accuracy");
  }
  if (status.state != RunState::kRunning) return status;
  try {
    LookAtLock(RunDirectory(sweep.RunPath(status.run)), status);
  } catch (...) {
    status.state = RunState::kDamaged;
    status.failure = CaughtFault();
  }
  return status;
}

}  // namespace

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter, const Names& names) {
  SweepStatus status;
  CostModel costs(sweep.grid);
  for (PlacedRun& run : ReadPlacedRuns(sweep, names, filter)) {
    RunStatus one = StatusOfRun(sweep, std::move(run));
    switch (one.state) {
      case RunState::kDiverged:
        ++status.diverged;
        [[fallthrough]];
      case RunState::kFinished:
        ++status.finished;
        status.seconds_spent += one.core_seconds;
        costs.Observe(one.run, one.core_seconds);
        break;
      case RunState::kFailed:
        ++status.failed;
        break;
      case RunState::kDamaged:
        ++status.damaged;
        break;
      case RunState::kRunning:
        ++status.running;
        break;
      case RunState::kLeft:
        ++status.left;
        break;
    }
    status.runs.push_back(std::move(one));
  }
  for (const RunStatus& one : status.runs) {
    const bool to_do = one.state == RunState::kLeft || one.state == RunState::kRunning;
    if (to_do) status.seconds_left += costs.Expect(one.run);
  }
  return status;
}

Json RunStatusToJson(const RunStatus& one) {
  const bool ended = one.state == RunState::kFinished || one.state == RunState::kDiverged;
  Json json = {{"language", one.run.language},
               {"architecture", one.run.architecture()},
               {"loss", one.run.loss},
               {"validation", one.run.validation},
               {"budget", one.run.budget},
               {"trial", one.run.trial},
               {"variant", one.run.variant},
               {"path", "runs/" + one.run.Path()},
               {"state", Name(ended ? RunState::kFinished : one.state)}};
  if (ended) json["outcome"] = Name(one.state);
  if (!one.owner.empty()) json["owner"] = one.owner;
  if (!one.failure.empty()) json["failure"] = one.failure;
  if (ended) json["seconds"] = one.seconds;
  if (one.test_accuracy) json["test_accuracy"] = *one.test_accuracy;
  return json;
}

}  // namespace flare
