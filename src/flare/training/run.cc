#include "flare/training/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/nn/target.h"
#include "flare/runs/run_settings.h"
#include "flare/runs/version_0_2.h"
#include "flare/training/checkpoint.h"
#include "flare/training/make_settings.h"
#include "flare/training/measure.h"
#include "flare/training/train_data.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// Writing checkpoints takes at most this share of the time.
constexpr double kSavingShare = 0.02;

std::string ConfigInCheckpoint(RunConfig config) {
  config.data = config.data.ByHash();
  return ConfigToJson(config).dump();
}

class Execution {
 public:
  Execution(const OwnedRun& run, const RunPlan& plan, const RunOptions& options)
      : run_(run),
        directory_(run.directory()),
        plan_(plan),
        options_(options),
        training_(OpenTrainStrings(plan.settings, plan.data)),
        validation_(
            ReadSplitFor(plan.settings, plan.data, plan.settings.validation,
                         Validator::WantsAll(plan.settings) && NeedsNextSymbols(plan.settings))),
        tracker_(TrackerFor(plan.settings, plan.data)),
        trainer_(plan.settings, *training_, validation_, plan.data.alphabet.size(),
                 tracker_ ? &*tracker_ : nullptr),
        pause_(options.save_interval) {}

  RunEnd Run() {
    Begin();
    while (!trainer_.done()) {
      if (std::string reason = StopReason(); !reason.empty()) {
        Save();
        return {false, std::move(reason)};
      }
      trainer_.Step(*events_, options_.report);
      if (since_save_.Seconds() >= pause_) Save();
    }
    // The last checkpoint: if what follows is interrupted, only that is done again, and a run with
    // a higher limit continues from here.
    Save();
    const bool saved_before_its_end = !trainer_.has_stopped();
    trainer_.Finish(*events_, options_.report);
    try {
      WriteResult();
    } catch (const Stopped& stopped) {
      return {false, stopped.reason};
    }
    const std::string& reason = trainer_.progress().stop_reason;
    const bool can_go_on = saved_before_its_end && (reason == kEpochLimit || reason == kStepLimit);
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

  // config.json comes first: it marks the directory as ours. A run that is killed before its first
  // checkpoint starts over, with the same bits.
  void Begin() {
    run_.CheckOwned();
    if (!directory_.is_begun()) WriteConfig(plan_.config());
    if (!fs::exists(directory_.checkpoint())) {
      trainer_.Begin();
      events_ = std::make_unique<EventLog>(directory_.events());
      events_->Append(StartEvent{.parameters = trainer_.model().parameters().Count(true),
                                 .all_parameters = trainer_.model().parameters().Count(false),
                                 .examples = training_->size(),
                                 .steps_per_epoch = trainer_.steps_per_epoch()});
      return;
    }
    trainer_.Resume(ReadRegularFile(directory_.checkpoint()), directory_.checkpoint());
    const TrainingProgress& progress = trainer_.progress();
    CheckBelongsToRun(progress, plan_, directory_.checkpoint());
    seconds_before_ = progress.seconds;
    cpu_seconds_before_ = progress.cpu_seconds;
    const std::string events = ReadEvents(directory_.events(), progress.events);
    if (progress.events.sha256.empty()) VerifyEvents02(events, directory_.events());
    RaiseLimit();
    events_ = std::make_unique<EventLog>(directory_.events(), events);
  }

  void WriteConfig(const RunConfig& config) {
    run_.Write(directory_.config(), CheckedText(ConfigToJson(config)));
  }

  // Removes the result before it raises the limit, so that no finished run has a limit that did not
  // end it.
  void RaiseLimit() {
    RunConfig there = directory_.ReadConfig();
    if (!HasHigherLimit(plan_.settings, there.settings)) return;
    if (directory_.is_finished()) run_.Remove(directory_.result());
    TakeLimits(plan_.settings, there.settings);
    WriteConfig(there);
  }

  void Save() {
    const Stopwatch watch;
    events_->Sync();
    run_.Write(directory_.checkpoint(),
               trainer_.Checkpoint(ConfigInCheckpoint(plan_.config()), events_->written(),
                                   Seconds(), CpuSeconds()));
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
      result.best = MakeBest(progress.best->epoch, progress.best->figures);
      trainer_.RestoreBest();
      const std::string bytes = FormatSafetensors(ModelToTensors(trainer_.model()));
      run_.Write(directory_.model(), bytes);
      result.model_sha256 = Sha256(bytes);
    }
    ResultWriter writer(run_, *events_, result);
    for (const std::string& split : plan_.data.Splits()) {
      const Stopwatch watch;
      const auto evaluation = progress.best ? Evaluate(split) : std::nullopt;
      writer.Add(split, evaluation, watch.Seconds());
    }
    writer.EndEvents();
    result.seconds = Seconds();
    result.cpu_seconds = CpuSeconds();
    result.training_seconds = progress.training_seconds;
    result.examples_per_second = static_cast<double>(progress.examples) / progress.training_seconds;
    writer.Write();
  }

  // Returns nothing for an empty split.
  std::optional<Evaluation> Evaluate(const std::string& name) {
    const ReadOptions options{.next_symbols = NeedsNextSymbols(plan_.settings),
                              .log_probabilities = false,
                              .num_edits = true,
                              .edit_distances = true};
    const Split split = ReadPinnedSplit(plan_.data, name, options);
    if (split.size() == 0) return std::nullopt;
    const auto format = FormatOf(plan_.data);
    return EvaluateSplit(
        trainer_.model(), name, split, plan_.data.alphabet, NumHardest(name),
        tracker_ ? &*tracker_ : nullptr, [this] { return StopReason(); },
        format ? &*format : nullptr);
  }

  const OwnedRun& run_;
  const RunDirectory& directory_;
  const RunPlan& plan_;
  const RunOptions& options_;
  const Stopwatch watch_;
  const double cpu_start_ = ProcessCpuSeconds();
  double seconds_before_ = 0, cpu_seconds_before_ = 0;
  const std::unique_ptr<TrainStrings> training_;
  const Split validation_;
  const std::optional<StateTracker> tracker_;
  Trainer trainer_;
  std::unique_ptr<EventLog> events_;
  Stopwatch since_save_;
  double pause_;
};

}  // namespace

bool LimitsCanChange(const RunSettings& settings) {
  return !FindSchedule(settings.schedule)->needs_length;
}

bool HasHigherLimit(const RunSettings& settings, const RunSettings& than) {
  // 0 means no limit, which is higher than all others.
  const auto least = [](std::size_t limit) { return limit - 1; };
  const bool lower = least(settings.max_epochs) < least(than.max_epochs) ||
                     least(settings.max_steps) < least(than.max_steps);
  return LimitsCanChange(settings) && !lower &&
         (settings.max_epochs != than.max_epochs || settings.max_steps != than.max_steps);
}

void TakeLimits(const RunSettings& from, RunSettings& settings) {
  settings.max_epochs = from.max_epochs;
  settings.max_steps = from.max_steps;
}

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

void CheckBelongsToRun(const TrainingProgress& progress, const RunPlan& plan,
                       const std::string& file) {
  const auto refuse = [&](const std::string& difference) {
    throw InputError(file, fmt::format("belongs to a different run: its {}", difference),
                     kStartOver);
  };
  if (progress.config.empty()) {
    const std::uint64_t seed = plan.settings.seed;
    if (progress.seed02.value_or(seed) == seed) return;
    return refuse(fmt::format("seed is {}, not {}", *progress.seed02, seed));
  }
  JsonReader reader;
  RunConfig there = ConfigFromJson(reader.Parse(progress.config, file));
  if (LimitsCanChange(plan.settings)) TakeLimits(plan.settings, there.settings);
  const std::string difference = ConfigDifference(there, plan.config());
  if (!difference.empty()) refuse(difference);
}

void CheckIsOurs(const RunConfig& config, const std::string& where) {
  if (!config.external) return;
  throw InputError(
      where,
      fmt::format("is a run of another program, {}", fmt::join(config.external->command, " ")),
      "only that program can compute with its model");
}

RunPlan ReadPlan(const RunDirectory& run) {
  RunConfig config = run.ReadConfig();
  CheckIsOurs(config, run.path());
  CheckModelSettings(config.settings, run.config());
  return {std::move(config.settings), DataOf(config.data, run.config())};
}

RunEnd ExecuteRun(const OwnedRun& run, const RunPlan& plan, const RunOptions& options) {
  return Execution(run, plan, options).Run();
}

// Resumes a run, and continues one beyond the limit of epochs or steps that ended it.

namespace {

// Throws InputError unless a limit ended the run, or somebody stopped it, so that it can continue
// from there.
void CheckCanContinue(const RunDirectory& run, const RunPlan& plan) {
  if (run.is_finished() && !run.ReadResult().ended_by_limit()) {
    throw InputError(
        run.path(), fmt::format("ended by \"{}\", not by its limit", run.ReadResult().stop_reason));
  }
  if (!std::filesystem::exists(run.checkpoint())) {
    throw InputError(run.path(), "has no checkpoint to continue from",
                     "the version that finished it did not keep one");
  }
  const TrainingProgress progress = LoadCheckpoint(run, plan).progress;
  if (!progress.stop_reason.empty()) {
    throw InputError(run.checkpoint(), fmt::format("is from training that was ended by \"{}\"",
                                                   progress.stop_reason));
  }
}

}  // namespace

bool RaisesLimit(const RunDirectory& run, const RunPlan& plan) {
  const RunConfig there = run.ReadConfig();
  RunConfig wanted = plan.config();
  const bool raises = HasHigherLimit(wanted.settings, there.settings);
  if (raises) TakeLimits(there.settings, wanted.settings);
  CheckSameRun(run, wanted);
  if (!raises) return false;
  CheckSameArithmetic(run, there, wanted);
  CheckCanContinue(run, plan);
  return true;
}

namespace {

// Returns the model of the plan. The number of states that state tracking tells apart comes from
// the file with the parameters, since the dataset may be gone.
ModelConfig ConfigFor(const RunPlan& plan, const TensorFile& tensors) {
  return ModelOf(plan.settings, plan.data.alphabet.size(), NumStatesOf(tensors));
}

TrainedModel LoadBestSoFar(const RunDirectory& run, const RunPlan& plan) {
  SavedState state = LoadCheckpoint(run, plan);
  if (!state.progress.best) {
    throw InputError(run.path(), "the run has no model yet: it has not reached a checkpoint");
  }
  state.model->parameters().values() = state.best;
  state.model->ParametersChanged();
  return {std::move(state.model), state.progress.best->epoch};
}

TrainedModel LoadFinished(const RunDirectory& run, const RunPlan& plan) {
  const RunResult result = run.ReadResult();
  if (!fs::exists(run.model()) && result.diverged) {
    throw InputError(run.path(), "the run diverged before its first checkpoint: it has no model");
  }
  const std::string bytes = ReadRegularFile(run.model());
  if (result.model_sha256 != Sha256(bytes)) {
    throw InputError(run.model(), "is not the file that the run wrote: its SHA-256 differs");
  }
  const TensorFile tensors = ParseSafetensors(bytes, run.model());
  const ModelConfig config = ConfigFor(plan, tensors);
  CheckHoldsModel(tensors, run.model(), config);
  auto model = std::make_unique<Model>(config, ParseTarget(plan.settings.target));
  LoadParameters(tensors, run.model(), *model);
  return {std::move(model), std::nullopt};
}

}  // namespace

SavedState LoadCheckpoint(const RunDirectory& run, const RunPlan& plan) {
  const std::string bytes = ReadRegularFile(run.checkpoint());
  const TensorFile tensors = ParseSafetensors(bytes, run.checkpoint());
  const ModelConfig config = ConfigFor(plan, tensors);
  CheckHoldsModel(tensors, run.checkpoint(), config);
  SavedState state{.model = std::make_unique<Model>(config, ParseTarget(plan.settings.target)),
                   .progress = {},
                   .best = {}};
  Optimizer optimizer(state.model->parameters(), OptimizerOf(plan.settings));
  state.progress = ParseCheckpoint(bytes, run.checkpoint(), *state.model, optimizer, state.best);
  CheckBelongsToRun(state.progress, plan, run.checkpoint());
  return state;
}

TrainedModel LoadModel(const RunDirectory& run, const RunPlan& plan) {
  // It may be finished at any moment, and its checkpoint gone.
  if (!run.is_finished() && (fs::exists(run.checkpoint()) || !run.is_finished())) {
    return LoadBestSoFar(run, plan);
  }
  return LoadFinished(run, plan);
}

}  // namespace flare
