#include "flare/training/external_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/long_work.h"
#include "flare/base/npy.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/evaluation_files.h"
#include "flare/runs/events.h"
#include "flare/runs/run_settings.h"
#include "flare/training/batching.h"
#include "flare/training/make_settings.h"
#include "flare/training/measure.h"
#include "flare/training/run.h"
#include "flare/training/run_data.h"
#include "flare/training/train_data.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

// One number per line. None may be infinite: its cross-entropy would be too, or would say nothing.
std::vector<float> ReadLogits(const fs::path& file, std::size_t examples) {
  const std::string text = ReadRegularFile(file);
  std::vector<float> logits;
  for (const std::string_view line : Lines(text)) {
    const auto number = ParseNumber<double>(line);
    if (!number || !(std::abs(*number) <= std::numeric_limits<float>::max())) {
      throw InputError(FileLine(file, logits.size() + 1),
                       fmt::format("{} is not a finite number", Quoted(line)),
                       "expected one logit per line, as a 32-bit float");
    }
    logits.push_back(static_cast<float>(*number));
  }
  if (logits.size() != examples) {
    throw InputError(
        file, fmt::format("has {} logits for {}", logits.size(), Counted(examples, "example")));
  }
  return logits;
}

// Leaves out the probabilities after each prefix, which only the external program knows.
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
        validation_(config.settings.validation),
        recognizes_(HasRecognition(config.settings.loss)),
        terms_(TermsWithLogits(LossTerms(config.settings.loss))),
        tracker_(NeedsStates() ? std::optional(TrackerOf(config.data)) : std::nullopt),
        summary_(ReadSummary()),
        events_(directory_.events(), fs::exists(directory_.events())
                                         ? ReadEvents(directory_.events(), {summary_.size, ""})
                                         : "") {}

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
      result.best = RunResult::Best{.epoch = best->epoch};  // MeasuredBest fills in the figures
    }
    if (fs::exists(directory_.model())) {
      result.model_sha256 = Sha256(ReadRegularFile(directory_.model()));
    }
    ResultWriter writer(run_, events_, result);
    for (const std::string& split : data_.Splits()) {
      Interruption::Check();
      const Stopwatch watch;
      // Training that diverged may have no model that could be asked.
      const bool nothing =
          result.diverged && !fs::exists(recognizes_ ? fs::path(directory_.logits(split))
                                                     : fs::path(directory_.logits_folder()));
      const auto evaluation = nothing ? std::nullopt : Evaluate(split);
      writer.Add(split, evaluation, watch.Seconds());
    }
    result.best = MeasuredBest(result, validation_);
    writer.EndEvents();
    writer.Write();
    run_.RemoveFailure();
    return result;
  }

 private:
  // The terms of the loss for which there are logits: for every split that has examples, or for
  // none. Files with other names are mistakes, which would be overlooked.
  std::vector<std::string> TermsWithLogits(const std::vector<std::string>& of_loss) const {
    std::vector<std::string> found;
    if (!fs::exists(directory_.logits_folder())) return found;
    for (const auto& entry : fs::directory_iterator(directory_.logits_folder())) {
      if (entry.path().extension() == ".txt") CheckNamesASplit(entry.path());
      if (entry.path().extension() != ".npy") continue;
      const auto term = std::find_if(of_loss.begin(), of_loss.end(), [&](const std::string& name) {
        return IsLogitsOf(entry.path(), name);
      });
      if (term == of_loss.end()) {
        throw InputError(
            entry.path(), "is not SPLIT.TERM.npy for a split of its data and a term",
            fmt::format("the loss has {}", of_loss.empty()
                                               ? std::string("none")
                                               : fmt::format("{}", fmt::join(of_loss, ", "))));
      }
      found.push_back(*term);
    }
    std::vector<std::string> terms;
    std::copy_if(of_loss.begin(), of_loss.end(), std::back_inserter(terms),
                 [&](const std::string& term) {
                   return std::find(found.begin(), found.end(), term) != found.end();
                 });
    return terms;
  }

  void CheckNamesASplit(const fs::path& file) const {
    const auto splits = data_.Splits();
    const bool is = std::any_of(splits.begin(), splits.end(), [&](const std::string& split) {
      return directory_.logits(split).filename() == file.filename();
    });
    if (is) return;
    throw InputError(file, "is not SPLIT.txt of a split of its data",
                     fmt::format("it has {}", fmt::join(splits, ", ")));
  }

  bool IsLogitsOf(const fs::path& file, const std::string& term) const {
    const auto splits = data_.Splits();
    return std::any_of(splits.begin(), splits.end(), [&](const std::string& split) {
      return directory_.logits(split, term).filename() == file.filename();
    });
  }

  bool NeedsStates() const {
    return std::any_of(terms_.begin(), terms_.end(),
                       [](const std::string& term) { return FindLossTerm(term)->needs_states; });
  }
  bool NeedsNextSymbols() const {
    return std::any_of(terms_.begin(), terms_.end(), [](const std::string& term) {
      return FindLossTerm(term)->needs_next_symbols;
    });
  }

  std::vector<TermScore> ScoresOf(const std::string& term, const std::string& name,
                                  const Split& split) const {
    const fs::path file = directory_.logits(name, term);
    if (!fs::exists(file)) {
      throw InputError(file, "no such file",
                       fmt::format("other splits have logits for {}: expected all or none", term));
    }
    return ScoreTermLogits(*FindLossTerm(term), file, split, tracker_ ? &*tracker_ : nullptr);
  }

  TrainingSummary ReadSummary() const {
    if (!fs::exists(directory_.events())) return {};
    JsonReader reader;
    std::string text = ReadRegularFile(directory_.events());
    TrainingSummary summary = Summarize(text, directory_.events(), reader);
    const std::size_t in_lines = text.rfind('\n') + 1;
    // Half a line after our own is what an interrupted scoring left. After the program's, which has
    // ended, it is the last one, whose newline the program left out.
    if (in_lines == text.size() || summary.size < in_lines) return summary;
    text += '\n';
    summary = Summarize(text, directory_.events(), reader);
    run_.Write(directory_.events(), text);
    return summary;
  }

  // Returns nothing for an empty split.
  std::optional<Evaluation> Evaluate(const std::string& name) const {
    const Split split = ReadPinnedSplit(
        data_, name, {.next_symbols = NeedsNextSymbols(), .log_probabilities = false});
    if (split.size() == 0) return std::nullopt;
    ModelScores scores;
    if (recognizes_) scores.logits = ReadLogits(directory_.logits(name), split.size());
    for (const std::string& term : terms_) scores.terms.push_back(ScoresOf(term, name, split));
    if (!recognizes_ && terms_.empty()) {
      throw InputError(directory_.logits_folder(),
                       "has no logits of a term of the loss: nothing can be measured");
    }
    const auto format = FormatOf(data_);
    return Evaluation{
        .metrics = Measure(name, split, scores, terms_, format ? &*format : nullptr),
        .examples = ExamplesToJsonl(split, scores, terms_),
        .hardest = recognizes_ ? HardestOf(split, data_.alphabet, scores.logits, NumHardest(name))
                               : std::vector<HardExample>{}};
  }

  const OwnedRun& run_;
  const RunDirectory& directory_;
  const RunData data_;
  const std::string validation_;
  const bool recognizes_;
  const std::vector<std::string> terms_;
  const std::optional<StateTracker> tracker_;
  const TrainingSummary summary_;
  EventLog events_;
};

// Removes the state from which the program would have resumed, files and folders. What cannot be
// removed stays, since the run is finished.
void RemoveCheckpoints(const RunDirectory& directory) {
  std::vector<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    if (entry.path().filename().string().starts_with("checkpoint.")) {
      checkpoints.push_back(entry.path());
    }
  }
  std::error_code ignored;
  for (const fs::path& checkpoint : checkpoints) fs::remove_all(checkpoint, ignored);
}

}  // namespace

RunConfig MakeExternalConfig(const External& external, const SettingTexts& given,
                             const RunData& data) {
  CheckExternal(external, "");
  SettingTexts texts = given;
  texts["architecture"] = external.name;
  RunConfig config{MakeExternalSettings(texts, external), data.pinned, external};
  data.CheckSplit(config.settings.validation);
  CheckTrainData(config.settings, config.data, "");
  return config;
}

void DescribeExternal(const OwnedRun& run, const RunConfig& config) {
  const RunDirectory& directory = run.directory();
  if (directory.is_begun()) return CheckSameRun(directory, config);
  run.Write(directory.config(), CheckedText(ConfigToJson(config)));
}

void RemoveAnswers(const OwnedRun& run) {
  const RunDirectory& directory = run.directory();
  run.Remove(directory.result());
  std::error_code failed;
  fs::remove_all(directory.logits_folder(), failed);
  if (failed) throw IoError(directory.logits_folder(), "remove", failed.value());
}

void BeginExternal(const OwnedRun& run, const RunConfig& config) {
  const RunDirectory& directory = run.directory();
  if (directory.is_finished()) return DescribeExternal(run, config);
  if (directory.is_begun()) {
    DescribeExternal(run, config);
    return RemoveAnswers(run);
  }
  for (const fs::path& file : {directory.checkpoint(), directory.logits_folder()}) {
    if (!fs::exists(file)) continue;
    throw InputError(file, "exists, but the run has no config.json",
                     "move it away, or name another directory");
  }
  DescribeExternal(run, config);
}

void RestartExternal(const OwnedRun& run, const RunConfig& config) {
  const RunDirectory& directory = run.directory();
  run.CheckOwned();
  RemoveCheckpoints(directory);
  std::error_code failed;
  fs::remove_all(directory.logits_folder(), failed);
  if (failed) throw IoError(directory.logits_folder(), "remove", failed.value());
  run.Remove(directory.events());
  run.Remove(directory.model());
  run.Write(directory.config(), CheckedText(ConfigToJson(config)));
}

RunResult ScoreExternal(const OwnedRun& run, const RunConfig& config) {
  return Scoring(run, config).Score();
}

RunResult FinishExternal(const OwnedRun& run, const RunConfig& config) {
  RunResult result = ScoreExternal(run, config);
  RemoveCheckpoints(run.directory());
  return result;
}

namespace {

// Few enough to need hardly any memory.
constexpr BatchLimits kFewStrings{16'384, 1};

void CheckShape(const NpyRows& rows, const LossTermInfo& term, const std::filesystem::path& file,
                const Split& split, std::size_t states) {
  const std::size_t prefixes = split.symbols.size() + split.size();
  const std::size_t outputs = term.outputs(split.next_symbols.alphabet_size(), states);
  if (rows.rows() == prefixes && rows.columns() == outputs) return;
  throw InputError(
      file,
      fmt::format("has the shape ({}, {}); expected ({}, {})", rows.rows(), rows.columns(),
                  prefixes, outputs),
      fmt::format("a row for every prefix of every string, from the empty one; {}", term.columns));
}

void CheckFinite(std::span<const float> logits, const std::filesystem::path& file,
                 std::size_t string, std::size_t position) {
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (std::isfinite(logits[j])) continue;
    throw InputError(file, fmt::format("{} is not a finite number", logits[j]),
                     fmt::format("column {} after {} symbols of string {}, all counted from 0", j,
                                 position, string));
  }
}

}  // namespace

std::vector<TermScore> ScoreTermLogits(const LossTermInfo& term, const std::filesystem::path& file,
                                       const Split& split, const StateTracker* tracker) {
  FLARE_CHECK(!term.needs_states || tracker != nullptr);
  NpyRows rows(file);
  CheckShape(rows, term, file, split, tracker != nullptr ? tracker->num_states() : 0);
  std::vector<TermScore> scores(split.size());
  Batcher batcher(split, kFewStrings, tracker);
  batcher.PlanAsGiven();
  Batch batch;
  for (std::size_t b = 0; b < batcher.num_batches(); ++b) {
    batcher.Fill(b, batch);
    const auto examples = batcher.Examples(b);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Interruption::Check();
      const bool applies = term.AppliesTo(batch);
      for (std::size_t t = 0; t <= batch.length(i); ++t) {
        const auto logits = rows.Next();
        CheckFinite(logits, file, examples[i], t);
        if (applies && term.LooksAt(batch, {i, t})) {
          term.Score(batch, {i, t}, logits, scores[examples[i]]);
        }
      }
    }
  }
  return scores;
}

}  // namespace flare
