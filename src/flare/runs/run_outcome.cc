#include "flare/runs/run_outcome.h"

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
  return FirstDifference(what(there), what(here));
}

}  // namespace flare
