#include "flare/training/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/integrity.h"
#include "flare/base/sha256.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/runs/loss_text.h"
#include "flare/training/known_names.h"
#include "flare/training/make_settings.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Saving may take this share of the time at most.
constexpr double kSavingShare = 0.02;

Split ReadForTraining(const RunPlan& plan, const std::string& name, bool next_symbols) {
  plan.data.CheckSplit(name);
  ReadOptions options = kOnlyStrings;
  options.next_symbols = next_symbols;
  Split split = ReadPinnedSplit(plan.data, name, options);
  if (split.size() == 0) {
    throw InputError(plan.data.pinned.path, fmt::format("its split {} is empty", name));
  }
  if (next_symbols && !split.has_next_symbols) {
    throw InputError(plan.data.pinned.path,
                     fmt::format("its split {} has no next-symbol sets, which the loss {} needs",
                                 name, plan.settings.loss));
  }
  return split;
}

class Execution {
 public:
  Execution(const OwnedRun& run, const RunPlan& plan, const RunOptions& options)
      : run_(run),
        directory_(run.directory()),
        plan_(plan),
        options_(options),
        training_(ReadForTraining(plan, "train", NeedsNextSymbols(plan.settings))),
        validation_(ReadForTraining(plan, plan.settings.validation, false)),
        tracker_(TrackerFor(plan.settings, plan.data)),
        trainer_(plan.settings, training_, validation_, plan.data.alphabet.size(),
                 tracker_ ? &*tracker_ : nullptr),
        pause_(options.save_interval) {}

  RunEnd Run() {
    Begin();
    while (!trainer_.done()) {
      if (std::string reason = StopReason(); !reason.empty()) {
        Save();
        return {false, std::move(reason)};
      }
      CheckBeginning();
      trainer_.Step(*events_, options_.report);
      if (since_save_.Seconds() >= pause_) Save();
    }
    // What comes after this is done again if it is interrupted; and a higher limit continues from
    // here.
    Save();
    const bool saved_before_its_end = !trainer_.has_stopped();
    trainer_.Finish(*events_, options_.report);
    try {
      WriteResult();
    } catch (const Stopped& stopped) {
      return {false, stopped.reason};
    }
    const bool can_go_on = saved_before_its_end && trainer_.progress().stop_reason == kEpochLimit;
    if (!can_go_on) run_.Remove(directory_.checkpoint());
    run_.RemoveFailure();
    return {true, ""};
  }

 private:
  double Seconds() const { return seconds_before_ + watch_.Seconds(); }
  double CpuSeconds() const { return cpu_seconds_before_ + ProcessCpuSeconds() - cpu_start_; }

  std::string StopReason() const {
    if (watch_.Seconds() >= options_.time_limit) return "time limit";
    return options_.stop ? options_.stop() : "";
  }

  // config.json comes last: a run that has one has a checkpoint too.
  void Begin() {
    run_.CheckOwned();
    if (!directory_.is_begun()) {
      if (fs::exists(directory_.checkpoint())) {
        trainer_.Resume(ReadRegularFile(directory_.checkpoint()), directory_.checkpoint());
        if (trainer_.progress().examples > 0) {
          throw InputError(directory_.config(), "is missing, but the run has a checkpoint",
                           kStartOver);
        }
      }
      trainer_.Begin();
      events_ = std::make_unique<EventLog>(directory_.events(), 0);
      events_->Append(StartEvent{.parameters = trainer_.model().parameters().Count(true),
                                 .all_parameters = trainer_.model().parameters().Count(false),
                                 .examples = training_.size(),
                                 .steps_per_epoch = trainer_.steps_per_epoch()});
      // While the first steps run, which need not wait for the disk.
      beginning_ = std::async(std::launch::async, [this, checkpoint = State()] {
        events_->Sync();
        run_.Write(directory_.checkpoint(), checkpoint);
        run_.Write(directory_.config(), CheckedText(ConfigToJson(plan_.config(), KnownNames())));
      });
      return;
    }
    if (!fs::exists(directory_.checkpoint())) {
      throw InputError(directory_.checkpoint(), "is missing, although the run is not finished",
                       kStartOver);
    }
    trainer_.Resume(ReadRegularFile(directory_.checkpoint()), directory_.checkpoint());
    seconds_before_ = trainer_.progress().seconds;
    cpu_seconds_before_ = trainer_.progress().cpu_seconds;
    CheckEvents(directory_.events(), trainer_.progress().events_size);
    RaiseLimit();
    events_ = std::make_unique<EventLog>(directory_.events(), trainer_.progress().events_size);
  }

  // In this order: a run is never finished with a limit that did not end it.
  void RaiseLimit() {
    RunConfig there = directory_.ReadConfig(KnownNames());
    if (there.settings.max_epochs >= plan_.settings.max_epochs) return;
    if (directory_.is_finished()) run_.Remove(directory_.result());
    there.settings.max_epochs = plan_.settings.max_epochs;
    run_.Write(directory_.config(), CheckedText(ConfigToJson(there, KnownNames())));
  }

  std::string State() { return trainer_.Checkpoint(events_->size(), Seconds(), CpuSeconds()); }

  // Throws what went wrong with the first files, as soon as that is known.
  void CheckBeginning() {
    using namespace std::chrono_literals;
    if (beginning_.valid() && beginning_.wait_for(0s) == std::future_status::ready) {
      beginning_.get();
    }
  }

  void Save() {
    if (beginning_.valid()) beginning_.get();
    const Stopwatch watch;
    events_->Sync();
    run_.Write(directory_.checkpoint(), State());
    pause_ = std::max(options_.save_interval, watch.Seconds() / kSavingShare);
    since_save_ = {};
  }

  void WriteResult() {
    const TrainingProgress& progress = trainer_.progress();
    RunResult result;
    result.diverged = progress.stop_reason == kNotFinite;
    result.stop_reason = progress.stop_reason;
    result.epochs = trainer_.epochs();
    result.steps = trainer_.steps();
    result.parameters = trainer_.model().parameters().Count(true);
    if (progress.best) {
      result.best = {progress.best->epoch, progress.best->cross_entropy, progress.best->accuracy};
      trainer_.RestoreBest();
      const std::string bytes = FormatSafetensors(ModelToTensors(trainer_.model()));
      run_.Write(directory_.model(), bytes);
      result.model_sha256 = Sha256(bytes);
    }
    EvaluationFolder folder(run_);
    for (const std::string& split : plan_.data.Splits()) {
      result.splits.emplace_back(split, progress.best ? Evaluate(split, folder) : std::nullopt);
    }
    result.evaluation_files = folder.checks();
    events_->Append(
        FinishEvent{.outcome = result.outcome(),
                    .stop_reason = result.stop_reason,
                    .epochs = result.epochs,
                    .best_epoch = result.best ? std::optional(result.best->epoch) : std::nullopt});
    events_->Sync();
    result.seconds = Seconds();
    result.cpu_seconds = CpuSeconds();
    result.training_seconds = progress.training_seconds;
    result.examples_per_second = static_cast<double>(progress.examples) / progress.training_seconds;
    result.run_files = directory_.ChecksOfFiles();
    run_.Write(directory_.result(), CheckedText(ResultToJson(result)));
  }

  // Nothing for an empty split.
  std::optional<SplitMetrics> Evaluate(const std::string& name, EvaluationFolder& folder) {
    const Stopwatch watch;
    const ReadOptions options{.next_symbols = NeedsNextSymbols(plan_.settings),
                              .log_probabilities = false,
                              .num_edits = true,
                              .edit_distances = true};
    const Split split = ReadPinnedSplit(plan_.data, name, options);
    if (split.size() == 0) return std::nullopt;
    const std::size_t hardest = name == "test" ? kHardestExamples : 0;
    const auto format = FormatOf(plan_.data);
    const Evaluation evaluation = EvaluateSplit(
        trainer_.model(), name, split, plan_.data.alphabet, hardest,
        tracker_ ? &*tracker_ : nullptr, [this] { return StopReason(); },
        format ? &*format : nullptr);
    folder.Write(name + ".json", MetricsToJson(evaluation.metrics).dump() + "\n");
    if (KeepsExamples(name)) folder.Write(name + ".jsonl", evaluation.examples);
    if (hardest > 0) {
      folder.Write(std::string(kHardest) + ".json",
                   HardestToJson(name, evaluation.hardest).dump() + "\n");
    }
    events_->Append(
        EvaluationEvent{.split = name,
                        .accuracy = evaluation.metrics.accuracy,
                        .recognition_cross_entropy = evaluation.metrics.recognition_cross_entropy,
                        .seconds = watch.Seconds()});
    return evaluation.metrics;
  }

  const OwnedRun& run_;
  const RunDirectory& directory_;
  const RunPlan& plan_;
  const RunOptions& options_;
  const Stopwatch watch_;
  const double cpu_start_ = ProcessCpuSeconds();
  double seconds_before_ = 0, cpu_seconds_before_ = 0;
  const Split training_, validation_;
  const std::optional<StateTracker> tracker_;
  Trainer trainer_;
  std::unique_ptr<EventLog> events_;
  Stopwatch since_save_;
  double pause_;
  std::future<void> beginning_;  // last: it ends before what it uses
};

}  // namespace

bool NeedsNextSymbols(const RunSettings& settings) {
  const auto terms = LossTerms(settings.loss);
  return std::any_of(terms.begin(), terms.end(), [](const std::string& term) {
    return FindLossTerm(term)->needs_next_symbols;
  });
}

std::optional<StateTracker> TrackerFor(const RunSettings& settings, const RunData& data) {
  const auto terms = LossTerms(settings.loss);
  const bool needed = std::any_of(terms.begin(), terms.end(), [](const std::string& term) {
    return FindLossTerm(term)->needs_states;
  });
  return needed ? std::optional(TrackerOf(data.pinned)) : std::nullopt;
}

bool KeepsExamples(const std::string& split) {
  return split == "test" || split == "test-edit-distance";
}

void CheckIsOurs(const RunConfig& config, const std::string& where) {
  if (!config.external) return;
  throw InputError(
      where,
      fmt::format("is a run of another program, {}", fmt::join(config.external->command, " ")),
      "only that program can compute with its model");
}

RunPlan ReadPlan(const RunDirectory& run) {
  RunConfig config = run.ReadConfig(KnownNames());
  CheckIsOurs(config, run.path());
  CheckModelSettings(config.settings, run.config());
  return {std::move(config.settings), DataOf(config.data, run.config())};
}

RunEnd ExecuteRun(const OwnedRun& run, const RunPlan& plan, const RunOptions& options) {
  return Execution(run, plan, options).Run();
}

}  // namespace flare
