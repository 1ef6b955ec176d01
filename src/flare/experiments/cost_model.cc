#include "flare/experiments/cost_model.h"

namespace flare {
namespace {

// Seconds of a run on a core of 100 GFLOP/s, 60 epochs of 10,000 strings of 20 symbols, at the
// shares of the peak that docs/performance.md states.
double RuleOfThumb(const Coordinates& run) {
  constexpr double kFlop = 60 * 10'000 * 20.0 * 6;
  const double share = run.architecture == "transformer" ? 0.55 : 0.7;
  const double heads = run.loss == "rec" ? 1.0 : run.loss == "rec+lm+ns" ? 1.3 : 1.2;
  return kFlop * static_cast<double>(run.budget) * heads / (share * 100e9);
}

}  // namespace

void CostModel::Observe(const Coordinates& run, double seconds) {
  for (Mean* mean : {&by_kind_[{run.architecture, run.loss}], &all_}) {
    ++mean->runs;
    mean->seconds += seconds;
    mean->rule += RuleOfThumb(run);
  }
}

double CostModel::Expect(const Coordinates& run) const {
  const double rule = RuleOfThumb(run);
  const auto kind = by_kind_.find({run.architecture, run.loss});
  if (kind != by_kind_.end()) return rule * kind->second.seconds / kind->second.rule;
  if (all_.runs > 0) return rule * all_.seconds / all_.rule;
  return rule;
}

}  // namespace flare
