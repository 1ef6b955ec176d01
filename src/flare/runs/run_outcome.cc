#include "flare/runs/run_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flare/base/json.h"

namespace flare {
namespace {

Json AccuraciesOf(const RunResult& result) {
  Json accuracies = Json::object();
  for (const auto& [split, metrics] : result.splits) {
    accuracies[split] = metrics ? Json(metrics->accuracy) : Json(nullptr);
  }
  return accuracies;
}

Json CommandOf(const RunConfig& config) {
  return config.external ? Json(config.external->command) : Json(nullptr);
}

// Another version of the program may add up in another order. One example more or less is far more.
bool IsSame(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(a)); }

// In what both have of a split.
std::string ScoreDifference(const SplitMetrics& there, const SplitMetrics& here) {
  std::string difference;
  there.ForEachScalar([&](std::string_view name, double value) {
    const auto other = here.Find(name);
    if (!difference.empty() || !other || IsSame(value, *other)) return;
    difference = fmt::format("{} is {}, not {}", name, value, *other);
  });
  return difference;
}

// In what both have.
std::string ScoreDifference(const RunResult& there, const RunResult& here) {
  for (const auto& [split, metrics] : there.splits) {
    const SplitMetrics* other = here.Split(split);
    if (!metrics || other == nullptr) continue;
    const std::string difference = ScoreDifference(*metrics, *other);
    if (!difference.empty()) return fmt::format("{} {}", split, difference);
  }
  return "";
}

}  // namespace

std::string OutcomeDifference(const RunOutcome& there, const RunOutcome& here, const Names& names) {
  const std::string settings =
      SettingsDifference(there.config.settings, here.config.settings, names);
  if (!settings.empty()) return settings;
  const bool has_models = !there.result.model_sha256.empty() || !here.result.model_sha256.empty();
  const auto what = [&](const RunOutcome& run) {
    return Json{{"command", CommandOf(run.config)},
                {"arithmetic", run.config.settings.arithmetic},
                {"data", run.config.data.Sha256OfAll()},
                {"outcome", run.result.outcome()},
                {"epochs", run.result.epochs},
                {"model_sha256", run.result.model_sha256},
                {"accuracy", has_models ? Json(nullptr) : AccuraciesOf(run.result)}};
  };
  const std::string difference = FirstDifference(what(there), what(here));
  return difference.empty() ? ScoreDifference(there.result, here.result) : difference;
}

}  // namespace flare
