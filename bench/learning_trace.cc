// A few epochs of one run, with all that another implementation needs to repeat them;
// bench/peer/learning.py gives them to PyTorch (`make learning-peer`).
//
//   learning_trace --data DIR --out DIR2 --architecture rnn|lstm|gru|transformer --loss LOSS ...
//
// takes the settings of `flare train`, by default without dropout and for 3 epochs, and keeps the
// learning rate. Writes
//   DIR2/initial.safetensors  the parameters before the first step; settings in the metadata
//   DIR2/batches.jsonl        a line per step: {"epoch": 1, "examples": [17, 4, ...]}
//   DIR2/events.jsonl         as a run does, with a checkpoint after each epoch
// and prints the last one: mean losses of each epoch, validation after it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/data/flare_reader.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/training/event_log.h"
#include "flare/training/run_config.h"
#include "flare/training/trainer.h"

namespace flare {
namespace {

void WriteInitial(const std::string& path, const Model& model, const RunConfig& config,
                  const Alphabet& alphabet) {
  TensorFile file = ModelToTensors(model);
  file.metadata["alphabet"] = Json(alphabet.names()).dump();
  file.metadata["validation"] = config.validation;
  file.metadata["learning_rate"] = fmt::format("{}", config.learning_rate);
  file.metadata["lm_coefficient"] = fmt::format("{}", config.lm_coefficient);
  file.metadata["ns_coefficient"] = fmt::format("{}", config.ns_coefficient);
  WriteFileAtomically(path, FormatSafetensors(file));
}

int Main(int argc, char** argv) {
  CLI::App app("Trains for a few epochs, and tells another implementation how to do the same");
  std::string data, out;
  SettingTexts settings = {{"dropout", "0"}, {"max_epochs", "3"}, {"validation", "short"}};
  app.add_option("--data", data)->required();
  app.add_option("--out", out)->required();
  RunConfig defaults;
  VisitSettings(
      defaults, [&](const std::string& key, const auto&, const SettingRange&, const char* help) {
        app.add_option_function<std::string>(
            FlagOf(key), [&settings, key](const std::string& text) { settings[key] = text; }, help);
      });
  CLI11_PARSE(app, argc, argv);

  const Alphabet alphabet = ReadAlphabet(data);
  RunConfig config = MakeRunConfig(settings, alphabet.size());
  ReadOptions columns = kOnlyStrings;
  columns.next_symbols = config.has_next_symbols();
  const Split training = ReadSplit(data, "train", alphabet, columns);
  const Split validation = ReadSplit(data, config.validation, alphabet, kOnlyStrings);
  // One checkpoint per epoch; the first is an improvement, so patience outlasts the others.
  config.checkpoint_examples = training.size();
  config.learning_rate_patience = config.stopping_patience = config.max_epochs;

  Trainer trainer(config, training, validation, alphabet.size());
  trainer.Begin();
  std::filesystem::create_directories(out);
  WriteInitial(out + "/initial.safetensors", trainer.model(), config, alphabet);
  const std::string events_path = out + "/events.jsonl";
  EventLog events(events_path, 0);
  std::string batches;
  while (!trainer.done()) {
    const TrainingProgress& progress = trainer.progress();
    const auto examples = trainer.batcher().Examples(progress.next_batch);
    const Json line = {{"epoch", progress.epoch},
                       {"examples", std::vector(examples.begin(), examples.end())}};
    batches += line.dump() + "\n";
    trainer.Step(events, nullptr);
  }
  WriteFileAtomically(out + "/batches.jsonl", batches);
  fmt::print("{}", ReadFile(events_path));
  return 0;
}

}  // namespace
}  // namespace flare

// Whoever runs it sees what was thrown.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return flare::Main(argc, argv); }
