// A few epochs of one run, with all that another implementation needs to repeat them; the programs
// in bench/peer give them to PyTorch (`make learning-peer`).
//
//   learning_trace --data DIR --out DIR2 --architecture rnn|lstm|gru|transformer --loss LOSS ...
//
// takes the settings of `flare train`, by default without dropout and for 3 epochs, and keeps the
// learning rate. Writes
//   DIR2/initial.safetensors  the parameters before the first step; settings in the metadata
//   DIR2/batches.jsonl        a line per step: {"epoch": 1, "examples": [17, 4, ...],
//                             "dropout_key": [3, 8], "loss": 0.69}, the key that of Philox
//   DIR2/events.jsonl         as a run does, with a checkpoint after each epoch
// and prints the last one: mean losses of each epoch, validation after it.
//
// With --batches-only it trains nothing: it writes the parameters, and then prints the lines of all
// epochs, without losses, for as long as someone reads them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/data/flare_files.h"
#include "flare/nn/dropout.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/runs/events.h"
#include "flare/runs/run_settings.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "flare/training/train_data.h"
#include "flare/training/trainer.h"

namespace flare {
namespace {

void WriteInitial(const std::string& path, const Model& model, const RunSettings& config,
                  const Alphabet& alphabet) {
  TensorFile file = ModelToTensors(model);
  file.metadata["alphabet"] = Json(alphabet.names()).dump();
  file.metadata["validation"] = config.validation;
  file.metadata["learning_rate"] = fmt::format("{}", config.learning_rate);
  file.metadata["dropout"] = fmt::format("{}", config.dropout);
  for (const LossTermInfo& term : LossTermCatalog()) {
    const auto found = config.coefficients.find(term.name);
    file.metadata[CoefficientKey(term.name)] =
        fmt::format("{}", found == config.coefficients.end() ? 0 : found->second);
  }
  WriteFileAtomically(path, FormatSafetensors(file));
}

// What a step takes from its place in the run: its minibatch, and what names its dropout masks.
Json DescribeStep(const RunSettings& config, const Batcher& batcher, std::size_t epoch,
                  std::size_t batch, std::size_t steps_before) {
  const auto examples = batcher.Examples(batch);
  const DropoutKey key = MakeDropout(config.dropout, config.seed, steps_before).key;
  return {{"epoch", epoch},
          {"examples", std::vector(examples.begin(), examples.end())},
          {"dropout_key", {key.key[0], key.key[1]}}};
}

void PrintBatches(const RunSettings& config, Batcher batcher) {
  std::size_t steps = 0;
  for (std::size_t epoch = 1; epoch <= config.max_epochs; ++epoch) {
    batcher.PlanEpoch(config.seed, epoch);
    for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
      fmt::print("{}\n", DescribeStep(config, batcher, epoch, b, steps++).dump());
    }
  }
}

void Train(const RunSettings& config, Trainer& trainer, const std::string& out) {
  const std::string events_path = out + "/events.jsonl";
  EventLog events(events_path);
  std::string batches;
  while (!trainer.done()) {
    const TrainingProgress& progress = trainer.progress();
    Json line = DescribeStep(config, trainer.batcher(), progress.epoch, progress.next_batch,
                             trainer.steps());
    line["loss"] = trainer.Step(events, nullptr).total;
    batches += line.dump() + "\n";
  }
  WriteFileAtomically(out + "/batches.jsonl", batches);
  fmt::print("{}", ReadFile(events_path));
}

int Main(int argc, char** argv) {
  CLI::App app("Trains for a few epochs, and tells another implementation how to do the same");
  std::string data, out;
  SettingTexts settings = {{"dropout", "0"}, {"max_epochs", "3"}, {"validation", "short"}};
  app.add_option("--data", data)->required();
  app.add_option("--out", out)->required();
  bool batches_only = false;
  app.add_flag("--batches-only", batches_only, "print the minibatches; train nothing");
  for (const std::string& key : SettingKeys()) {
    app.add_option_function<std::string>(
        FlagOf(key), [&settings, key](const std::string& text) { settings[key] = text; });
  }
  CLI11_PARSE(app, argc, argv);

  const Alphabet alphabet = ReadAlphabet(data);
  RunSettings config = MakeSettings(settings, alphabet.size());
  ReadOptions columns = kOnlyStrings;
  columns.next_symbols = NeedsNextSymbols(config);
  const Split training = ReadSplit(data, "train", alphabet, columns);
  const Split validation = ReadSplit(data, config.validation, alphabet, kOnlyStrings);
  // One checkpoint per epoch; the first is an improvement, so patience outlasts the others.
  config.checkpoint_examples = training.size();
  config.learning_rate_patience = config.stopping_patience = config.max_epochs;

  const std::unique_ptr<TrainStrings> strings = StringsOf(training);
  Trainer trainer(config, *strings, validation, alphabet.size());
  trainer.Begin();
  std::filesystem::create_directories(out);
  WriteInitial(out + "/initial.safetensors", trainer.model(), config, alphabet);
  if (batches_only) {
    PrintBatches(config, trainer.batcher());
  } else {
    Train(config, trainer, out);
  }
  return 0;
}

}  // namespace
}  // namespace flare

// Whoever runs it sees what was thrown.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) { return flare::Main(argc, argv); }
