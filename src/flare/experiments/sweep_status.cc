#include "flare/experiments/sweep_status.h"

#include "flare/base/error.h"
#include "flare/experiments/cost_model.h"

namespace flare {
namespace {

void AddDetails(const RunDirectory& directory, RunStatus& status) {
  if (status.state == RunState::kFinished) {
    const Json result = directory.ReadResult();
    status.outcome = result["outcome"];
    status.seconds = result["seconds"];
    const auto test = result["splits"].find("test");
    if (test != result["splits"].end()) status.test_accuracy = Member<double>(*test, "accuracy");
  } else if (status.state == RunState::kFailed) {
    status.failure = ReasonOfFailure(directory);
  } else if (status.state == RunState::kHeld) {
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

std::string Name(RunState state) {
  switch (state) {
    case RunState::kLeft:
      return "left";
    case RunState::kHeld:
      return "running";
    case RunState::kFailed:
      return "failed";
    case RunState::kFinished:
      return "finished";
  }
  __builtin_unreachable();
}

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter) {
  SweepStatus status;
  CostModel costs(sweep.grid);
  for (Coordinates& run : sweep.grid.Runs()) {
    if (!filter.Matches(run)) continue;
    const RunDirectory directory(sweep.RunPath(run));
    RunStatus one;
    one.run = std::move(run);
    one.state = LookAtRun(directory);
    try {
      AddDetails(directory, one);
    } catch (const InputError& error) {
      one.state = RunState::kFailed;
      one.failure = ReasonOf(error);
    }
    switch (one.state) {
      case RunState::kFinished:
        ++status.finished;
        status.diverged += one.outcome == "diverged" ? 1 : 0;
        status.seconds_spent += one.seconds;
        costs.Observe(one.run, one.seconds);
        break;
      case RunState::kFailed:
        ++status.failed;
        break;
      case RunState::kHeld:
        ++status.held;
        break;
      case RunState::kLeft:
        ++status.left;
        break;
    }
    status.runs.push_back(std::move(one));
  }
  for (const RunStatus& one : status.runs) {
    const bool to_do = one.state == RunState::kLeft || one.state == RunState::kHeld;
    if (to_do) status.seconds_left += costs.Expect(one.run);
  }
  return status;
}

Json RunStatusToJson(const RunStatus& one) {
  Json json = {{"language", one.run.language},
               {"architecture", one.run.architecture},
               {"loss", one.run.loss},
               {"validation", one.run.validation},
               {"budget", one.run.budget},
               {"trial", one.run.trial},
               {"path", "runs/" + one.run.Path()},
               {"state", Name(one.state)}};
  if (!one.outcome.empty()) json["outcome"] = one.outcome;
  if (!one.owner.empty()) json["owner"] = one.owner;
  if (!one.failure.empty()) json["failure"] = one.failure;
  if (one.state == RunState::kFinished) json["seconds"] = one.seconds;
  if (one.test_accuracy) json["test_accuracy"] = *one.test_accuracy;
  return json;
}

}  // namespace flare
