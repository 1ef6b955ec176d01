#include "flare/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/nn/architectures.h"
#include "flare/nn/dropout.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "flare/runs/run_directory.h"
#include "flare/training/make_settings.h"

namespace flare {
namespace {

BatchLimits LimitsOf(const RunSettings& config) {
  const bool bos = FindArchitecture(config.architecture)->reads_bos;
  const bool eos =
      config.readout == "eos" ||
      std::any_of(config.coefficients.begin(), config.coefficients.end(),
                  [](const auto& term) { return FindLossTerm(term.first)->predicts_eos; });
  const std::size_t padding =
      config.options.contains("padding") ? OptionNumber(config.options, "padding") : 0;
  return {config.batch_tokens, (bos ? 1u : 0u) + (eos ? 1u : 0u) + padding};
}

// Every epoch of the same strings has as many: minibatches are cut from strings in the order of
// their lengths. 0 if epochs differ, or if nobody needs to know.
std::size_t StepsPerEpoch(const RunSettings& config, TrainStrings& training) {
  if (!FindSchedule(config.schedule)->needs_length || !EpochsAreAlike(config)) return 0;
  Batcher batcher(training.Epoch(1, 0), LimitsOf(config), nullptr, !LooksAtNegatives(config));
  batcher.PlanEpoch(config.seed, 1);
  return batcher.num_batches();
}

void TakeWeights(const RunSettings& config, Model& model) {
  const std::string file = RunDirectory(config.init_from).model();
  const std::string bytes = ReadRegularFile(file);
  if (Sha256(bytes) != config.init_sha256) {
    throw InputError(file, "has changed since the run was described: its SHA-256 differs");
  }
  LoadParameters(ParseSafetensors(bytes, file), file, model);
}

}  // namespace

Trainer::Trainer(const RunSettings& config, TrainStrings& training, const Split& validation,
                 std::size_t vocabulary, const StateTracker* tracker)
    : config_(config),
      coefficients_(CoefficientsOf(config)),
      model_(ModelOf(config, vocabulary, tracker != nullptr ? tracker->num_states() : 1),
             ParseTarget(config.target)),
      optimizer_(model_.parameters(), OptimizerOf(config)),
      training_(training),
      tracker_(tracker),
      curriculum_(ParseCurriculum(config.curriculum, "curriculum")),
      schedule_(ScheduleOf(config, StepsPerEpoch(config, training))),
      stopping_(config),
      validator_(validation, config, tracker) {
  const auto longest = training.longest();
  try {
    model_.CheckTrainable(longest.length);
  } catch (const InputError& error) {
    throw InputError(longest.name, error.what());
  }
}

void Trainer::PlanEpoch() {
  const std::size_t stage = curriculum_.StageAt(steps());
  BatchLimits limits = LimitsOf(config_);
  limits.longest = curriculum_.stages[stage].longest;
  batcher_.emplace(training_.Epoch(progress_.epoch, stage), limits, tracker_,
                   !LooksAtNegatives(config_));
  batcher_->PlanEpoch(config_.seed, progress_.epoch);
  if (batcher_->num_batches() > 0) return;
  throw InputError("", fmt::format("epoch {} has no string that loss = {} looks at",
                                   progress_.epoch, config_.loss));
}

void Trainer::Begin() {
  model_.Initialize(config_.seed, Parameters::SchemeOf(config_.init));
  if (!config_.init_from.empty()) TakeWeights(config_, model_);
  PlanEpoch();
}

void Trainer::Resume(std::string_view checkpoint, const std::string& file) {
  progress_ = ParseCheckpoint(checkpoint, file, model_, optimizer_, best_);
  schedule_.Restore(progress_.schedule);
  stopping_.Restore(progress_.stopping);
  PlanEpoch();
  if (!has_stopped() && progress_.next_batch >= steps_per_epoch()) {
    throw InputError(file, fmt::format("its next batch is {}, but the epoch has {}",
                                       progress_.next_batch, steps_per_epoch()));
  }
}

std::string Trainer::Checkpoint(const std::string& config, const EventsPrefix& events,
                                double seconds, double cpu_seconds) {
  progress_.config = config;
  progress_.schedule = schedule_.state();
  progress_.stopping = stopping_.state();
  progress_.events = events;
  progress_.seconds = seconds;
  progress_.cpu_seconds = cpu_seconds;
  return FormatCheckpoint(progress_, model_, optimizer_, best_);
}

std::size_t Trainer::epochs() const {
  // The one under way counts once it has begun.
  return progress_.epoch - (progress_.next_batch == 0 ? 1 : 0);
}

const Losses& Trainer::Step(EventLog& events, const Report& report) {
  FLARE_CHECK(!done());
  const Stopwatch watch;
  batcher_->Fill(progress_.next_batch, batch_);
  const Losses& losses = model_.Gradients(
      batch_, coefficients_, MakeDropout(config_.dropout, config_.seed, optimizer_.steps()));
  const double norm = optimizer_.Step(schedule_.RateAt(steps()), model_.parameters());
  model_.ParametersChanged();

  const std::size_t examples = batch_.size();
  const auto weight = static_cast<double>(examples);
  auto& epoch = progress_.in_epoch;
  epoch.examples += examples;
  ++epoch.steps;
  epoch.loss += weight * losses.total;
  epoch.recognition += weight * losses.recognition;
  epoch.terms.resize(losses.terms.size());
  for (std::size_t i = 0; i < losses.terms.size(); ++i) epoch.terms[i] += weight * losses.terms[i];
  const double seconds = watch.Seconds();
  epoch.seconds += seconds;
  progress_.training_seconds += seconds;
  progress_.examples += examples;
  progress_.examples_since_checkpoint += examples;
  ++progress_.next_batch;
  if (!std::isfinite(losses.total) || !std::isfinite(norm)) {
    Stop(kNotFinite);
  } else {
    EndStep(events, report);
  }
  return losses;
}

void Trainer::EndStep(EventLog& events, const Report& report) {
  // A stage of the curriculum begins with an epoch.
  const bool epoch_ends =
      progress_.next_batch == steps_per_epoch() || curriculum_.BeginsAt(steps());
  if (epoch_ends) EndEpoch(events, report);
  if (checkpoint_is_due()) TakeCheckpoint(events, report);
  if (has_stopped() || !epoch_ends) return;
  ++progress_.epoch;
  progress_.next_batch = 0;
  if (!done()) PlanEpoch();
}

void Trainer::Finish(EventLog& events, const Report& report) {
  FLARE_CHECK(done());
  if (has_stopped()) return;
  if (progress_.examples_since_checkpoint > 0) TakeCheckpoint(events, report);
  if (!has_stopped()) Stop(at_epoch_limit() ? kEpochLimit : kStepLimit);
}

void Trainer::EndEpoch(EventLog& events, const Report& report) {
  const auto& epoch = progress_.in_epoch;
  const auto count = static_cast<double>(epoch.examples);
  last_epoch_.loss = epoch.loss / count;
  last_epoch_.term_losses.clear();
  EpochEvent event{.epoch = progress_.epoch,
                   .examples = epoch.examples,
                   .steps = epoch.steps,
                   .seconds = epoch.seconds,
                   .examples_per_second = count / epoch.seconds,
                   .loss = last_epoch_.loss,
                   .recognition_loss = {},
                   .term_losses = {}};
  if (model_.config().recognizes) {
    event.recognition_loss = epoch.recognition / count;
    last_epoch_.term_losses.emplace_back("rec", *event.recognition_loss);
  }
  for (const LossTermInfo& term : LossTermCatalog()) {
    const auto& terms = model_.config().terms;
    const auto found = std::find(terms.begin(), terms.end(), term.name);
    const bool always = term.in_all_files && model_.config().recognizes;
    if (found == terms.end() && !always) continue;
    event.term_losses.emplace_back(term.key, std::nullopt);
    if (found == terms.end()) continue;
    const double loss = epoch.terms[static_cast<std::size_t>(found - terms.begin())] / count;
    event.term_losses.back().second = loss;
    last_epoch_.term_losses.emplace_back(term.name, loss);
  }
  if (last_epoch_.term_losses.size() == 1) last_epoch_.term_losses.clear();
  events.Append(event);
  last_epoch_.seconds_per_epoch = event.seconds;
  last_epoch_.examples_per_second = event.examples_per_second;
  progress_.in_epoch = {};
  last_epoch_.epoch = progress_.epoch;
  Tell(report);
}

void Trainer::Tell(const Report& report) {
  last_epoch_.max_epochs = config_.max_epochs;
  last_epoch_.step = steps();
  last_epoch_.max_steps = config_.max_steps;
  last_epoch_.steps_per_epoch = steps_per_epoch();
  last_epoch_.select = config_.select;
  last_epoch_.learning_rate = schedule_.RateAt(steps() - 1);
  if (report) report(last_epoch_);
}

void Trainer::TakeCheckpoint(EventLog& events,
                             const std::function<void(const CheckpointReport&)>& report) {
  progress_.examples_since_checkpoint = 0;
  const Figures validation = validator_.Validate(model_);
  // Look at the whole loss or, where only recognition is measured, at its loss.
  const auto loss = FindFigure(validation, kObjective);
  if (!std::isfinite(loss ? *loss : *FindFigure(validation, kRecognitionCrossEntropy))) {
    return Stop(kNotFinite);
  }
  const bool is_best = stopping_.Observe(validation);
  if (is_best) {
    progress_.best = {epochs(), validation};
    best_ = model_.parameters().values();
  }
  CheckpointEvent event{
      .epoch = epochs(),
      .examples = progress_.examples,
      .learning_rate = schedule_.RateAt(steps() - 1),
      .is_best = is_best,
      .cross_entropy = FindFigure(validation, kRecognitionCrossEntropy).value_or(kNotANumber),
      .accuracy = FindFigure(validation, kRecognitionAccuracy).value_or(kNotANumber)};
  for (const auto& [name, value] : validation) {
    if (name == kRecognitionCrossEntropy || name == kRecognitionAccuracy) continue;
    event.others.emplace_back(name, value);
  }
  events.Append(event);
  last_epoch_.validation = validation;
  last_epoch_.is_best = is_best;
  last_epoch_.epoch = epochs();
  Tell(report);
  schedule_.Observe(is_best);
  if (const auto reason = stopping_.reason(); !reason.empty()) Stop(reason);
}

void Trainer::RestoreBest() {
  FLARE_CHECK(progress_.best.has_value());
  model_.parameters().values() = best_;
  model_.ParametersChanged();
}

}  // namespace flare
