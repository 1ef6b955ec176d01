#include "flare/experiments/sweep_status.h"

#include <algorithm>

#include "flare/base/text.h"
#include "flare/runs/run_settings.h"

namespace flare {

SweepStatus StatusOf(const Sweep& sweep, const RunFilter& filter) {
  SweepStatus status;
  CostModel costs(sweep.grid);
  status.runs = ReadRuns(sweep, filter, RunReading::kResultAlone);
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

namespace {

// The number of epochs after which a run usually ends.
constexpr std::size_t kUsualEpochs = 60;
constexpr std::size_t kUsualExamples = 10'000;

// A setting that the grid gives as a number; it was checked when the grid was read.
std::size_t NumberIn(const SettingTexts& settings, const char* key, std::size_t otherwise) {
  const auto found = settings.find(key);
  if (found == settings.end()) return otherwise;
  return ParseNumber<std::size_t>(found->second).value_or(otherwise);
}

}  // namespace

CostModel::CostModel(const Grid& grid)
    : examples_(static_cast<double>(
          std::clamp<std::size_t>(NumberIn(grid.settings, "max_epochs", kUsualEpochs), 1,
                                  kUsualEpochs) *
          NumberIn(grid.data, "splits.train.size", kUsualExamples))) {}

// Assumes a core of 100 GFLOP/s, strings of 20 symbols, and the shares of the peak that
// docs/background/performance.md states.
double CostModel::RuleOfThumb(const Coordinates& run) const {
  const double flop_per_parameter = examples_ * 20 * 6;
  const double share = run.architecture() == "transformer" ? 0.55 : 0.7;
  const auto terms = static_cast<double>(LossTerms(run.loss).size());
  const double heads = 1 + (terms > 0 ? 0.1 : 0) + 0.1 * terms;
  // A run whose hidden size was given has no budget: assume the default.
  const auto parameters = static_cast<double>(run.budget > 0 ? run.budget : RunSettings{}.budget);
  return flop_per_parameter * parameters * heads / (share * 100e9);
}

void CostModel::Observe(const Coordinates& run, double seconds) {
  for (Mean* mean : {&by_kind_[{run.variant, run.loss}], &all_}) {
    ++mean->runs;
    mean->seconds += seconds;
    mean->rule += RuleOfThumb(run);
  }
}

double CostModel::Expect(const Coordinates& run) const {
  const double rule = RuleOfThumb(run);
  const auto kind = by_kind_.find({run.variant, run.loss});
  if (kind != by_kind_.end()) return rule * kind->second.seconds / kind->second.rule;
  if (all_.runs > 0) return rule * all_.seconds / all_.rule;
  return rule;
}

}  // namespace flare
