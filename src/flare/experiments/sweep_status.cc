#include "flare/experiments/sweep_status.h"

#include "flare/experiments/cost_model.h"

namespace flare {

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter) {
  SweepStatus status;
  CostModel costs(sweep.grid);
  status.runs = ReadRuns(sweep, filter);
  for (const Run& run : status.runs) {
    switch (run.state) {
      case RunState::kDiverged:
        ++status.diverged;
        [[fallthrough]];
      case RunState::kFinished:
        ++status.finished;
        status.seconds_spent += run.result->core_seconds();
        costs.Observe(run.at, run.result->core_seconds());
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
  }
  for (const Run& run : status.runs) {
    const bool to_do = run.state == RunState::kLeft || run.state == RunState::kRunning;
    if (to_do) status.seconds_left += costs.Expect(run.at);
  }
  return status;
}

Json RunToJson(const Run& run) {
  const Coordinates& at = run.at;
  Json json = {{"language", at.language},
               {"architecture", at.architecture()},
               {"loss", at.loss},
               {"validation", at.validation},
               {"budget", at.budget},
               {"trial", at.trial},
               {"variant", at.variant},
               {"path", "runs/" + at.Path()},
               {"state", Name(run.result ? RunState::kFinished : run.state)}};
  if (run.result) json["outcome"] = Name(run.state);
  if (!run.owner.empty()) json["owner"] = run.owner;
  if (!run.fault.empty()) json["failure"] = run.fault;
  if (!run.result) return json;
  json["seconds"] = run.result->seconds;
  if (const auto accuracy = run.result->Metric("test", "accuracy")) {
    json["test_accuracy"] = *accuracy;
  }
  return json;
}

}  // namespace flare
