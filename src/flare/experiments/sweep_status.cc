#include "flare/experiments/sweep_status.h"

#include "flare/base/error.h"
#include "flare/experiments/cost_model.h"
#include "flare/experiments/sweep_directory.h"
#include "flare/runs/run_directory.h"

namespace flare {
namespace {

void AddDetails(const RunDirectory& directory, RunStatus& status) {
  if (status.state == RunState::kFinished) {
    const RunResult result = directory.ReadResult();
    if (result.diverged) status.state = RunState::kDiverged;
    status.seconds = result.seconds;
    status.test_accuracy = result.Metric("test", "accuracy");
  } else if (status.state == RunState::kFailed) {
    status.failure = directory.ReasonOfFailure();
  } else if (status.state == RunState::kRunning) {
    LockObserver observer;
    LockOwner owner;
    const LockState lock = observer.Look(directory.lock(), &owner);
    status.owner = owner.Describe();
    // The lock of a process that died here is a lock no more.
    if (lock == LockState::kDead || lock == LockState::kFree) status.state = RunState::kLeft;
  } else {
    directory.CheckIsRunOrEmpty();
  }
}

}  // namespace

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter) {
  SweepStatus status;
  CostModel costs(sweep.grid);
  for (Coordinates& run : sweep.grid.Runs()) {
    if (!filter.Matches(run)) continue;
    const RunDirectory directory(sweep.RunPath(run));
    RunStatus one;
    one.run = std::move(run);
    one.state = directory.Look();
    try {
      AddDetails(directory, one);
    } catch (const InputError& error) {
      one.state = RunState::kFailed;
      one.failure = ReasonOf(error);
    }
    switch (one.state) {
      case RunState::kDiverged:
        ++status.diverged;
        [[fallthrough]];
      case RunState::kFinished:
        ++status.finished;
        status.seconds_spent += one.seconds;
        costs.Observe(one.run, one.seconds);
        break;
      case RunState::kFailed:
        ++status.failed;
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
