#include "flare/runs/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/runs/version_0_2.h"

namespace flare {
namespace {

// A number of the size that a time or a rate may have.
double Plausible(const JsonValue& json, std::string_view name, double number) {
  constexpr double kMost = 1e15;
  if (!(number >= 0 && number <= kMost)) json.Fail(fmt::format("'{}' is {}", name, number));
  return number;
}

std::map<std::string, std::string> FilesFromJson(const JsonValue& json) {
  const auto files = json.Find("files");
  if (!files) return FilesInResult02(json);
  std::map<std::string, std::string> hashes;
  files->ForEach([&](std::string_view name, const JsonValue& hash) {
    hashes[std::string(name)] = hash.AsString(name);
  });
  return hashes;
}

// A cross-entropy has no upper bound: it may be of any size for a model that diverges.
void CheckBest(const JsonValue& json, const RunResult::Best& best) {
  if (best.cross_entropy && *best.cross_entropy < 0) {
    json.Fail(fmt::format("best_validation: the cross-entropy is {}, and none is negative",
                          *best.cross_entropy));
  }
  if (best.accuracy && !(*best.accuracy >= 0 && *best.accuracy <= 1)) {
    json.Fail(
        fmt::format("best_validation: 'accuracy' is {}, not between 0 and 1", *best.accuracy));
  }
}

RunResult::Best BestFromJson(const JsonValue& json, std::size_t epoch) {
  Figures figures;
  json.ForEach([&](std::string_view name, const JsonValue& value) {
    figures.emplace_back(name, value.AsNumber(name));
  });
  RunResult::Best best = MakeBest(epoch, figures);
  if (best.cross_entropy.has_value() != best.accuracy.has_value()) {
    json.Fail("best_validation: accuracy and cross-entropy of recognition belong together");
  }
  CheckBest(json, best);
  return best;
}

void CheckMembersOfResult(const JsonValue& json) {
  static const std::vector<std::string> members = {kFormatMember,
                                                   "outcome",
                                                   "stop_reason",
                                                   "epochs",
                                                   "steps",
                                                   "best_epoch",
                                                   "best_validation",
                                                   "parameters",
                                                   "seconds",
                                                   "cpu_seconds",
                                                   "training_seconds",
                                                   "examples_per_second",
                                                   "model_sha256",
                                                   "splits",
                                                   "files",
                                                   "evaluation_files",  // these two of 0.2
                                                   "run_files",
                                                   kCheckMember};
  json.ForEach([&](std::string_view name, const JsonValue&) {
    if (std::find(members.begin(), members.end(), name) == members.end()) {
      json.Fail(fmt::format("unknown member {}", Quoted(name)));
    }
  });
}

}  // namespace

std::optional<double> RunResult::Best::Find(std::string_view figure) const {
  if (figure == kRecognitionCrossEntropy) return cross_entropy;
  if (figure == kRecognitionAccuracy) return accuracy;
  return FindFigure(others, figure);
}

const SplitMetrics* RunResult::Split(std::string_view name) const {
  for (const auto& [split, metrics] : splits) {
    if (split == name) return metrics ? &*metrics : nullptr;
  }
  return nullptr;
}

std::optional<double> RunResult::Metric(std::string_view split, std::string_view scalar) const {
  const SplitMetrics* metrics = Split(split);
  return metrics == nullptr ? std::nullopt : metrics->Find(scalar);
}

std::optional<RunResult::Best> MeasuredBest(const RunResult& result, std::string_view validation) {
  const SplitMetrics* measured = result.Split(validation);
  if (measured == nullptr) return std::nullopt;
  RunResult::Best best{.epoch = result.best ? result.best->epoch : result.epochs};
  if (measured->accuracy) {
    if (std::isnan(measured->recognition_cross_entropy.value_or(kNotANumber))) return std::nullopt;
    best.cross_entropy = measured->recognition_cross_entropy;
    best.accuracy = measured->accuracy;
  } else {
    measured->ForEachScalar([&](std::string_view name, double value) {
      if (name != "examples" && name != "positives") best.others.emplace_back(name, value);
    });
  }
  return best;
}

RunResult::Best MakeBest(std::size_t epoch, const Figures& figures) {
  RunResult::Best best{.epoch = epoch};
  for (const auto& [name, value] : figures) {
    if (name == kRecognitionCrossEntropy) {
      best.cross_entropy = value;
    } else if (name == kRecognitionAccuracy) {
      best.accuracy = value;
    } else {
      best.others.emplace_back(name, value);
    }
  }
  return best;
}

std::string TestSplitOf(const RunResult& result) {
  std::string first;
  for (const auto& [split, metrics] : result.splits) {
    if (split == "test") return split;
    if (first.empty() && split.starts_with("test")) first = split;
  }
  return first.empty() ? "test" : first;
}

Json ResultToJson(const RunResult& result) {
  Json best = nullptr, best_epoch = nullptr, splits = Json::object();
  if (result.best) {
    best_epoch = result.best->epoch;
    best = Json::object();
    if (result.best->accuracy) {
      best[kRecognitionCrossEntropy] = OrNull(result.best->cross_entropy);
      best[kRecognitionAccuracy] = *result.best->accuracy;
    }
    for (const auto& [figure, value] : result.best->others) best[figure] = value;
  }
  for (const auto& [split, metrics] : result.splits) {
    splits[split] = metrics ? MetricsSummary(*metrics) : Json(nullptr);
  }
  const auto or_null = [](const auto& value, bool there) {
    return there ? Json(value) : Json(nullptr);
  };
  Json json = {
      {kFormatMember, kResultFormat},
      {"outcome", result.outcome()},
      {"stop_reason", result.stop_reason},
      {"epochs", result.epochs},
      {"steps", result.steps},
      {"best_epoch", best_epoch},
      {"best_validation", best},
      {"parameters", result.parameters},
      {"seconds", result.seconds},
      {"cpu_seconds", or_null(result.cpu_seconds.value_or(0), result.cpu_seconds.has_value())},
      {"training_seconds", result.training_seconds},
      {"examples_per_second", result.examples_per_second},
      {"model_sha256", or_null(result.model_sha256, !result.model_sha256.empty())},
      {"splits", splits}};
  if (!result.files.empty()) json["files"] = result.files;
  return json;
}

RunResult ResultFromJson(const JsonValue& json) {
  CheckFormat(json, kResultFormat);
  CheckMembersOfResult(json);
  RunResult result;
  const std::string outcome = json.String("outcome");
  if (outcome != "finished" && outcome != "diverged") {
    json.Fail(fmt::format("'outcome' is {}, not finished or diverged", Quoted(outcome)));
  }
  result.diverged = outcome == "diverged";
  result.stop_reason = json.String("stop_reason");
  result.epochs = json.Count("epochs");
  result.steps = json.CountOr("steps", 0);
  if (const auto best = json.Find("best_validation")) {
    result.best = BestFromJson(*best, json.Count("best_epoch"));
  }
  result.parameters = json.CountOr("parameters", 0);
  result.seconds = Plausible(json, "seconds", json.Number("seconds"));
  if (const auto seconds = json.MaybeNumber("cpu_seconds")) {
    result.cpu_seconds = Plausible(json, "cpu_seconds", *seconds);
  }
  result.training_seconds = json.NumberOr("training_seconds", 0);
  result.examples_per_second =
      Plausible(json, "examples_per_second", json.Number("examples_per_second"));
  result.model_sha256 = json.StringOr("model_sha256", "");
  result.splits.reserve(json.At("splits").document().size());
  json.At("splits").ForEach([&](std::string_view split, const JsonValue& metrics) {
    result.splits.emplace_back(split, std::nullopt);
    if (!metrics.IsNull()) result.splits.back().second = MetricsFromJson(metrics);
  });
  result.files = FilesFromJson(json);
  return result;
}

}  // namespace flare
