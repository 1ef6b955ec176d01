// flare predict RUN [FILE]: the probability that a trained recognizer accepts each string.

#include <fmt/format.h>

#include <memory>

#include "flare/base/error.h"
#include "flare/cli/command.h"
#include "flare/cli/run_arguments.h"
#include "flare/training/measure.h"

namespace flare {
namespace {

struct PredictArguments {
  explicit PredictArguments(CLI::App& app) {
    app.add_option("RUN", run, "directory of a run")->required();
    strings = std::make_unique<StringsArgument>(app);
    app.add_flag("--prefixes", prefixes,
                 "for every prefix: string number, length, last symbol, probability");
  }

  std::string run;
  std::unique_ptr<StringsArgument> strings;
  bool prefixes = false;
};

int Predict(const PredictArguments& options) {
  const RunDirectory run(options.run);
  const RunPlan plan = ReadPlan(run);
  const auto model = LoadAndTell(run, plan);
  const Alphabet& alphabet = plan.data.alphabet;
  // Strings are read one at a time: they may be very long, and a probability does not depend on
  // others.
  std::size_t number = 0;
  std::vector<float> logits;
  for (const String& w : options.strings->Read(alphabet)) {
    ++number;
    Batch batch;
    batch.vocabulary = alphabet.size();
    std::vector<std::uint32_t> tokens;
    for (const Symbol a : w) tokens.push_back(static_cast<std::uint32_t>(a));
    batch.Add(tokens, false);
    if (!options.prefixes) {
      model->Logits(batch, logits);
      Print(fmt::format("{}\t{}\n", Probability(logits[0]), alphabet.Format(w)));
      continue;
    }
    model->PrefixLogits(batch, 0, logits);
    std::string text;
    for (std::size_t t = 0; t < logits.size(); ++t) {
      text += fmt::format("{}\t{}\t{}\t{}\n", number, t, t == 0 ? "" : alphabet.Name(w[t - 1]),
                          Probability(logits[t]));
    }
    Print(text);
  }
  return kDone;
}

}  // namespace

std::function<int()> PredictCommand(CLI::App& app) {
  const auto options = std::make_shared<PredictArguments>(app);
  return [options] { return Predict(*options); };
}

}  // namespace flare
