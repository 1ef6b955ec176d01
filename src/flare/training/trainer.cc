#include "flare/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flare/base/check.h"
#include "flare/base/error.h"
#include "flare/nn/architectures.h"
#include "flare/nn/dropout.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/run_directory.h"
#include "flare/training/make_settings.h"

namespace flare {
namespace {

BatchLimits LimitsOf(const RunSettings& config) {
  const bool bos = FindArchitecture(config.architecture)->reads_bos;
  const bool eos =
      std::any_of(config.coefficients.begin(), config.coefficients.end(),
                  [](const auto& term) { return FindLossTerm(term.first)->predicts_eos; });
  return {config.batch_tokens, (bos ? 1u : 0u) + (eos ? 1u : 0u)};
}

}  // namespace

Trainer::Trainer(const RunSettings& config, const Split& training, const Split& validation,
                 std::size_t vocabulary, const StateTracker* tracker)
    : config_(config),
      coefficients_(CoefficientsOf(config)),
      model_(ModelOf(config, vocabulary, tracker != nullptr ? tracker->num_states() : 1),
             ParseTarget(config.target)),
      adam_(model_.parameters(), AdamOf(config)),
      schedule_(config),
      batcher_(training, LimitsOf(config), tracker),
      validator_(validation) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (training.string(i).size() > training.string(longest).size()) longest = i;
  }
  if (training.size() == 0) return;
  try {
    model_.CheckTrainable(training.string(longest).size());
  } catch (const InputError& error) {
    throw InputError(fmt::format("training example {}", longest + 1), error.what());
  }
}

void Trainer::Begin() {
  model_.Initialize(config_.seed);
  batcher_.PlanEpoch(config_.seed, progress_.epoch);
}

void Trainer::Resume(std::string_view checkpoint, const std::string& file) {
  progress_ = ParseCheckpoint(checkpoint, file, model_, adam_, best_);
  schedule_.Restore(progress_.schedule);
  batcher_.PlanEpoch(config_.seed, progress_.epoch);
  if (!has_stopped() && progress_.next_batch >= batcher_.num_batches()) {
    throw InputError(file, fmt::format("its next batch is {}, but the epoch has {}",
                                       progress_.next_batch, batcher_.num_batches()));
  }
}

std::string Trainer::Checkpoint(const std::string& config, const EventsPrefix& events,
                                double seconds, double cpu_seconds) {
  progress_.config = config;
  progress_.schedule = schedule_.state();
  progress_.events = events;
  progress_.seconds = seconds;
  progress_.cpu_seconds = cpu_seconds;
  return FormatCheckpoint(progress_, model_, adam_, best_);
}

std::size_t Trainer::epochs() const {
  // The one under way counts once it has begun.
  return progress_.epoch - (progress_.next_batch == 0 ? 1 : 0);
}

const Losses& Trainer::Step(EventLog& events, const Report& report) {
  FLARE_CHECK(!done());
  const Stopwatch watch;
  batcher_.Fill(progress_.next_batch, batch_);
  const Losses& losses = model_.Gradients(
      batch_, coefficients_, MakeDropout(config_.dropout, config_.seed, adam_.steps()));
  const double norm = adam_.Step(schedule_.learning_rate(), model_.parameters());
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
  const bool epoch_ends = progress_.next_batch == batcher_.num_batches();
  if (epoch_ends) EndEpoch(events, report);
  if (progress_.examples_since_checkpoint >= config_.checkpoint_examples) {
    TakeCheckpoint(events, report);
  }
  if (has_stopped() || !epoch_ends) return;
  ++progress_.epoch;
  progress_.next_batch = 0;
  if (!done()) batcher_.PlanEpoch(config_.seed, progress_.epoch);
}

void Trainer::Finish(EventLog& events, const Report& report) {
  FLARE_CHECK(done());
  if (has_stopped()) return;
  if (progress_.examples_since_checkpoint > 0) TakeCheckpoint(events, report);
  if (!has_stopped()) Stop(kEpochLimit);
}

void Trainer::EndEpoch(EventLog& events, const Report& report) {
  const auto& epoch = progress_.in_epoch;
  const auto count = static_cast<double>(epoch.examples);
  last_epoch_.loss = epoch.loss / count;
  last_epoch_.recognition_loss = epoch.recognition / count;
  last_epoch_.term_losses.clear();
  EpochEvent event{.epoch = progress_.epoch,
                   .examples = epoch.examples,
                   .steps = epoch.steps,
                   .seconds = epoch.seconds,
                   .examples_per_second = count / epoch.seconds,
                   .loss = last_epoch_.loss,
                   .recognition_loss = last_epoch_.recognition_loss,
                   .term_losses = {}};
  for (const LossTermInfo& term : LossTermCatalog()) {
    const auto& terms = model_.config().terms;
    const auto found = std::find(terms.begin(), terms.end(), term.name);
    if (found == terms.end() && !term.in_all_files) continue;
    event.term_losses.emplace_back(term.key, std::nullopt);
    if (found == terms.end()) continue;
    const double loss = epoch.terms[static_cast<std::size_t>(found - terms.begin())] / count;
    event.term_losses.back().second = loss;
    last_epoch_.term_losses.emplace_back(term.name, loss);
  }
  events.Append(event);
  last_epoch_.seconds_per_epoch = event.seconds;
  last_epoch_.examples_per_second = event.examples_per_second;
  progress_.in_epoch = {};
  last_epoch_.epoch = progress_.epoch;
  last_epoch_.max_epochs = config_.max_epochs;
  last_epoch_.learning_rate = schedule_.learning_rate();
  if (report) report(last_epoch_);
}

void Trainer::TakeCheckpoint(EventLog& events,
                             const std::function<void(const CheckpointReport&)>& report) {
  progress_.examples_since_checkpoint = 0;
  const Validator::Result validation = validator_.Validate(model_);
  if (!std::isfinite(validation.cross_entropy)) return Stop(kNotFinite);
  const double learning_rate = schedule_.learning_rate();
  const bool is_best = schedule_.Observe(validation.cross_entropy);
  if (is_best) {
    progress_.best = {epochs(), validation.cross_entropy, validation.accuracy};
    best_ = model_.parameters().values();
  }
  events.Append(CheckpointEvent{.epoch = epochs(),
                                .examples = progress_.examples,
                                .learning_rate = learning_rate,
                                .is_best = is_best,
                                .cross_entropy = validation.cross_entropy,
                                .accuracy = validation.accuracy});
  last_epoch_.validation = validation;
  last_epoch_.is_best = is_best;
  last_epoch_.learning_rate = learning_rate;
  last_epoch_.epoch = epochs();
  last_epoch_.max_epochs = config_.max_epochs;
  if (report) report(last_epoch_);
  if (schedule_.exhausted()) Stop(kNoImprovement);
}

void Trainer::RestoreBest() {
  FLARE_CHECK(progress_.best.has_value());
  model_.parameters().values() = best_;
  model_.ParametersChanged();
}

}  // namespace flare
