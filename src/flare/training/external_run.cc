#include "flare/training/external_run.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/number.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/integrity.h"
#include "flare/training/evaluator.h"
#include "flare/training/known_names.h"
#include "flare/training/make_settings.h"
#include "flare/training/measure.h"
#include "flare/training/run.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// One number per line. Infinite ones are answers; what is not a number is none.
std::vector<float> ReadLogits(const fs::path& file, std::size_t examples) {
  const std::string text = ReadRegularFile(file);
  std::vector<float> logits;
  for (const std::string_view line : Lines(text)) {
    const auto number = ParseNumber<double>(line);
    if (!number || std::isnan(*number)) {
      throw InputError(FileLine(file, logits.size() + 1),
                       fmt::format("{} is not a number", Quoted(line)),
                       "expected one logit per line");
    }
    logits.push_back(static_cast<float>(*number));
  }
  if (logits.size() != examples) {
    throw InputError(
        file, fmt::format("has {} logits for {}", logits.size(), Counted(examples, "example")));
  }
  return logits;
}

// Without what the model thought after each prefix, which only its program could tell.
std::vector<HardExample> HardestOf(const Split& split, const Alphabet& alphabet,
                                   const std::vector<float>& logits, std::size_t count) {
  std::vector<HardExample> hardest;
  for (const std::size_t i : HardestExamples(split, logits, count)) {
    hardest.push_back({.index = i,
                       .string = alphabet.Format(split.string(i)),
                       .label = split.labels[i] != 0,
                       .logit = logits[i],
                       .prefix_probabilities = {}});
  }
  return hardest;
}

class Scoring {
 public:
  Scoring(const OwnedRun& run, const RunConfig& config)
      : run_(run),
        directory_(run.directory()),
        data_(DataOf(config.data, directory_.config())),
        summary_(ReadSummary()),
        events_(directory_.events(), summary_.size) {}

  RunResult Score() {
    RunResult result;
    result.stop_reason = summary_.stop_reason.empty() ? "its program ended" : summary_.stop_reason;
    result.diverged = summary_.stop_reason == kNotFinite;
    result.epochs = summary_.epochs;
    result.steps = summary_.steps;
    result.parameters = summary_.parameters;
    result.seconds = summary_.seconds;
    result.training_seconds = summary_.training_seconds;
    if (result.training_seconds > 0) {
      result.examples_per_second = static_cast<double>(summary_.examples) / result.training_seconds;
    }
    if (const auto& best = summary_.best) {
      result.best = {best->epoch, best->cross_entropy, best->accuracy};
    }
    if (fs::exists(directory_.model())) {
      result.model_sha256 = Sha256(ReadRegularFile(directory_.model()));
    }
    EvaluationFolder folder(run_);
    for (const std::string& split : data_.Splits()) {
      // A training that diverged may have no model that could be asked.
      const bool nothing = result.diverged && !fs::exists(directory_.logits(split));
      result.splits.emplace_back(split, nothing ? std::nullopt : Evaluate(split, folder));
    }
    result.evaluation_files = folder.checks();
    events_.Append(
        FinishEvent{.outcome = result.outcome(),
                    .stop_reason = result.stop_reason,
                    .epochs = result.epochs,
                    .best_epoch = result.best ? std::optional(result.best->epoch) : std::nullopt});
    events_.Sync();
    run_.Write(directory_.result(), CheckedText(ResultToJson(result)));
    if (fs::exists(directory_.failure())) run_.Remove(directory_.failure());
    RemoveCheckpoints();
    return result;
  }

 private:
  TrainingSummary ReadSummary() const {
    if (!fs::exists(directory_.events())) return {};
    JsonReader reader;
    std::string text = ReadRegularFile(directory_.events());
    TrainingSummary summary = Summarize(text, directory_.events(), reader);
    const std::size_t in_lines = text.rfind('\n') + 1;
    // Half a line behind our own is what an interrupted scoring left. Behind the program's, which
    // has ended, it is the last one, whose newline it left out.
    if (in_lines == text.size() || summary.size < in_lines) return summary;
    text += '\n';
    summary = Summarize(text, directory_.events(), reader);
    run_.Write(directory_.events(), text);
    return summary;
  }

  // The state from which the program would have gone on, be it files or folders. What cannot be
  // removed stays: the run is finished.
  void RemoveCheckpoints() const {
    std::vector<fs::path> checkpoints;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      if (entry.path().filename().string().starts_with("checkpoint.")) {
        checkpoints.push_back(entry.path());
      }
    }
    std::error_code ignored;
    for (const fs::path& checkpoint : checkpoints) fs::remove_all(checkpoint, ignored);
  }

  // Nothing of an empty split.
  std::optional<SplitMetrics> Evaluate(const std::string& name, EvaluationFolder& folder) {
    const Stopwatch watch;
    const Split split =
        ReadPinnedSplit(data_, name, {.next_symbols = false, .log_probabilities = false});
    if (split.size() == 0) return std::nullopt;
    const ModelScores scores{ReadLogits(directory_.logits(name), split.size()), {}};
    const auto format = FormatOf(data_);
    const SplitMetrics metrics = Measure(name, split, scores, {}, format ? &*format : nullptr);
    folder.Write(name + ".json", MetricsToJson(metrics).dump() + "\n");
    if (KeepsExamples(name)) folder.Write(name + ".jsonl", ExamplesToJsonl(split, scores, {}));
    if (name == "test") {
      const auto hardest = HardestOf(split, data_.alphabet, scores.logits, kHardestExamples);
      folder.Write(std::string(kHardest) + ".json", HardestToJson(name, hardest).dump() + "\n");
    }
    events_.Append(EvaluationEvent{.split = name,
                                   .accuracy = metrics.accuracy,
                                   .recognition_cross_entropy = metrics.recognition_cross_entropy,
                                   .seconds = watch.Seconds()});
    return metrics;
  }

  const OwnedRun& run_;
  const RunDirectory& directory_;
  const RunData data_;
  const TrainingSummary summary_;
  EventLog events_;
};

}  // namespace

RunConfig MakeExternalConfig(const External& external, const SettingTexts& given,
                             const RunData& data) {
  CheckExternal(external, KnownNames(), "");
  SettingTexts texts = given;
  texts["architecture"] = external.name;
  RunConfig config{MakeExternalSettings(texts, NamesWith(KnownNames(), {external})), data.pinned,
                   external};
  data.CheckSplit(config.settings.validation);
  return config;
}

void BeginExternal(const OwnedRun& run, const RunConfig& config) {
  const RunDirectory& directory = run.directory();
  if (directory.is_begun()) return CheckSameRun(directory, config, KnownNames());
  run.Write(directory.config(), CheckedText(ConfigToJson(config, KnownNames())));
}

RunResult ScoreExternal(const OwnedRun& run, const RunConfig& config) {
  return Scoring(run, config).Score();
}

}  // namespace flare
