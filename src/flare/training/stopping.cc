#include "flare/training/stopping.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/runs/result.h"

namespace flare {

std::span<const StoppingRule> StoppingRules() {
  static const std::vector<StoppingRule> rules = {
      {kTargetReached,
       [](const RunSettings& settings, const StoppingState& state) {
         return !settings.stop_at.empty() && state.reached >= settings.stop_for;
       }},
      {kNoImprovement,
       [](const RunSettings& settings, const StoppingState& state) {
         return settings.stopping_patience > 0 && state.since_best >= settings.stopping_patience;
       }},
  };
  return rules;
}

Stopping::Stopping(const RunSettings& settings) : settings_(settings) {
  if (!settings.stop_at.empty()) target_ = ParseCondition(settings.stop_at, "stop_at");
}

bool Stopping::Observe(const Figures& figures) {
  const auto value = FindFigure(figures, settings_.select);
  if (!value) {
    throw InputError("select",
                     fmt::format("the split {} has no {}", settings_.validation, settings_.select));
  }
  if (target_) {
    const auto figure = FindFigure(figures, target_->figure);
    state_.reached = figure && target_->Holds(*figure) ? state_.reached + 1 : 0;
  }
  const bool low = IsBetterLow(settings_.select);
  const bool is_best = !state_.best || (low ? *value < *state_.best : *value > *state_.best);
  if (is_best) state_.best = value;
  state_.since_best = is_best ? 0 : state_.since_best + 1;
  return is_best;
}

std::string_view Stopping::reason() const {
  for (const StoppingRule& rule : StoppingRules()) {
    if (rule.ends(settings_, state_)) return rule.reason;
  }
  return "";
}

}  // namespace flare
