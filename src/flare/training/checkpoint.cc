#include "flare/training/checkpoint.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"

namespace flare {
namespace {

constexpr const char* kCheckpointFormat = "1";
constexpr const char* kHint =
    "the checkpoint is damaged; remove the run's directory to start it over";

// Calls visit(key, field) for all that is written as JSON.
template <class Progress, class Visit>
void VisitProgress(Progress& p, Visit visit) {
  visit("epoch", p.epoch);
  visit("next_batch", p.next_batch);
  visit("examples", p.examples);
  visit("examples_since_checkpoint", p.examples_since_checkpoint);
  visit("epoch_examples", p.in_epoch.examples);
  visit("epoch_steps", p.in_epoch.steps);
  visit("epoch_loss", p.in_epoch.loss);
  visit("epoch_recognition_loss", p.in_epoch.recognition);
  visit("epoch_seconds", p.in_epoch.seconds);
  visit("learning_rate", p.schedule.learning_rate);
  visit("since_lowest", p.stopping.since_best);
  visit("since_reduction", p.schedule.since_reduction);
  visit("stop_reason", p.stop_reason);
  visit("training_seconds", p.training_seconds);
  visit("seconds", p.seconds);
  visit("cpu_seconds", p.cpu_seconds);
  visit("events_size", p.events.size);
}

// Returns the names of the auxiliary terms' sums.
std::vector<std::string> TermKeys(const Model& model) {
  std::vector<std::string> keys;
  for (const std::string& term : model.config().terms) {
    keys.push_back(fmt::format("epoch_{}_loss", FindLossTerm(term)->key));
  }
  return keys;
}

// Returns the name of a tensor of the optimizer's state.
std::string StateName(const Optimizer& optimizer, std::size_t i) {
  return "optimizer." + optimizer.info().state[i];
}

// Version 0.2 wrote the two figures that it knew, and chose by the first.
void ReadBest(const Json& json, TrainingProgress& progress) {
  progress.best.emplace();
  progress.best->epoch = Whole<std::size_t>(json.at("epoch"));
  if (json.contains("cross_entropy")) {
    progress.stopping.best = json.at("cross_entropy").get<double>();
    progress.best->figures = {{std::string(kRecognitionCrossEntropy), *progress.stopping.best},
                              {std::string(kRecognitionAccuracy), json.at("accuracy")}};
    return;
  }
  progress.stopping.best = json.at("value").get<double>();
  for (const auto& [name, value] : json.at("figures").items()) {
    progress.best->figures.emplace_back(name, value.get<double>());
  }
}

Tensor Flat(const FloatArray& values) {
  return Tensor::Of(std::vector<float>(values.begin(), values.end()), {values.size()});
}

std::vector<float> FlatValues(const TensorFile& tensors, const std::string& name, std::size_t size,
                              const std::string& file) {
  const auto found = tensors.tensors.find(name);
  if (found == tensors.tensors.end() || found->second.type != Tensor::Type::kF32 ||
      found->second.shape != std::vector<std::size_t>{size}) {
    throw InputError(file, fmt::format("{} is missing or has the wrong size", name), kHint);
  }
  return found->second.Floats();
}

}  // namespace

std::string FormatCheckpoint(const TrainingProgress& progress, const Model& model,
                             const Optimizer& optimizer, const BestParameters& best) {
  TensorFile file = ModelToTensors(model);
  for (std::size_t i = 0; i < optimizer.state().size(); ++i) {
    file.tensors[StateName(optimizer, i)] = Flat(optimizer.state()[i]);
  }
  if (!best.empty()) file.tensors["best"] = Flat(best);
  Json json = Json::object();
  VisitProgress(progress, [&](const char* key, const auto& field) { json[key] = field; });
  const std::vector<std::string> keys = TermKeys(model);
  for (std::size_t i = 0; i < progress.in_epoch.terms.size(); ++i) {
    json[keys[i]] = progress.in_epoch.terms[i];
  }
  json["steps"] = optimizer.steps();
  json["target_reached"] = progress.stopping.reached;
  json["events_sha256"] = progress.events.sha256;
  if (progress.best) {
    Json figures = Json::object();
    for (const auto& [name, value] : progress.best->figures) figures[name] = value;
    json["best"] = {{"epoch", progress.best->epoch},
                    {"value", progress.stopping.best.value_or(0)},
                    {"figures", std::move(figures)}};
  }
  file.metadata["progress"] = json.dump();
  file.metadata["config"] = progress.config;
  file.metadata[kFormatMember] = kCheckpointFormat;
  file.metadata["sha256"] = Sha256(FormatSafetensors(file));
  return FormatSafetensors(file);
}

TrainingProgress ParseCheckpoint(std::string_view bytes, const std::string& file, Model& model,
                                 Optimizer& optimizer, BestParameters& best) {
  TensorFile tensors;
  try {
    tensors = ParseSafetensors(bytes, file);
  } catch (const InputError& error) {
    throw InputError("", error.what(), kHint);
  }
  // The hash is of the file without it.
  const auto hash = tensors.metadata.find("sha256");
  const std::string expected = hash == tensors.metadata.end() ? "" : hash->second;
  tensors.metadata.erase("sha256");
  if (Sha256(FormatSafetensors(tensors)) != expected) {
    throw InputError(file, "its contents do not match its SHA-256", kHint);
  }
  // Checkpoints of version 0.2 do not name their format.
  const auto format = tensors.metadata.find(kFormatMember);
  if (format != tensors.metadata.end() && format->second != kCheckpointFormat) {
    throw InputError(file,
                     fmt::format("its format is {}, and this program knows {}",
                                 Quoted(format->second), kCheckpointFormat),
                     "continue it with the version of flare that wrote it");
  }
  TrainingProgress progress;
  if (const auto config = tensors.metadata.find("config"); config != tensors.metadata.end()) {
    progress.config = config->second;
  }
  std::uint64_t steps = 0;
  try {
    const Json json = ParseJson(tensors.metadata["progress"], file + ": progress");
    VisitProgress(progress, [&](const char* key, auto& field) {
      using Field = std::decay_t<decltype(field)>;
      if constexpr (std::is_integral_v<Field>) {
        field = Whole<Field>(json.at(key));
      } else {
        field = json.at(key).template get<Field>();
      }
    });
    for (const std::string& key : TermKeys(model)) {
      if (json.contains(key)) progress.in_epoch.terms.push_back(json.at(key));
    }
    steps = Whole<std::uint64_t>(json.at("steps"));
    if (json.contains("events_sha256")) progress.events.sha256 = json["events_sha256"];
    if (json.contains("seed")) progress.seed02 = Whole<std::uint64_t>(json["seed"]);
    if (json.contains("best")) {
      ReadBest(json["best"], progress);
    }
    if (json.contains("target_reached")) {
      progress.stopping.reached = Whole<std::size_t>(json["target_reached"]);
    }
  } catch (const Json::exception& error) {
    throw InputError(file, fmt::format("progress: {}", error.what()), kHint);
  }
  const std::size_t size = model.parameters().flat_size();
  std::vector<std::vector<float>> state;
  for (std::size_t i = 0; i < optimizer.state().size(); ++i) {
    state.push_back(FlatValues(tensors, StateName(optimizer, i), size, file));
  }
  best.clear();
  if (progress.best) {
    const auto values = FlatValues(tensors, "best", size, file);
    best.assign(values.begin(), values.end());
  }
  LoadParameters(tensors, file, model);
  optimizer.Restore(steps, state);
  return progress;
}

}  // namespace flare
