// Trains one model (paper, Appendix D): steps, epochs, checkpoints, until a stopping rule, a limit
// of epochs or steps or a loss that is not finite ends it.

#ifndef FLARE_TRAINING_TRAINER_H_
#define FLARE_TRAINING_TRAINER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/clock.h"
#include "flare/data/flare_files.h"
#include "flare/nn/batch.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/schedule.h"
#include "flare/runs/events.h"
#include "flare/runs/recipe.h"
#include "flare/runs/result.h"
#include "flare/runs/run_settings.h"
#include "flare/training/batching.h"
#include "flare/training/checkpoint.h"
#include "flare/training/measure.h"
#include "flare/training/stopping.h"
#include "flare/training/train_data.h"

namespace flare {

// The progress that is shown after every epoch and every checkpoint.
struct CheckpointReport {
  std::size_t epoch = 0, max_epochs = 0;  // 0: no limit
  std::size_t step = 0, max_steps = 0;
  std::size_t steps_per_epoch = 0;
  // The loss of the last whole epoch.
  double loss = 0;
  Figures term_losses;                // each term's, by name, if there are several
  std::optional<Figures> validation;  // none before the first checkpoint
  std::string select;                 // the figure that chooses the best checkpoint
  bool is_best = false;
  double learning_rate = 0;
  double examples_per_second = 0;
  double seconds_per_epoch = 0;
};

class Trainer {
 public:
  // Strings and split must outlive it, and so must the tracker, which a loss with state tracking
  // needs.
  Trainer(const RunSettings& config, TrainStrings& training, const Split& validation,
          std::size_t vocabulary, const StateTracker* tracker = nullptr);

  // A new model, from the run's seed.
  void Begin();
  // Continues from a checkpoint. Throws InputError.
  void Resume(std::string_view checkpoint, const std::string& file);
  // The state between two steps, for Resume. `config` and `events` are as in TrainingProgress.
  std::string Checkpoint(const std::string& config, const EventsPrefix& events, double seconds,
                         double cpu_seconds);

  // True if no step is left.
  bool done() const { return has_stopped() || at_epoch_limit() || at_step_limit(); }
  // Trains on one minibatch, and does what is due after it: the end of an epoch, a checkpoint, the
  // end. Returns the minibatch's losses, of the model before it changed.
  const Losses& Step(EventLog& events, const std::function<void(const CheckpointReport&)>& report);
  // Ends training at a limit, and measures what was learned since the last checkpoint. To continue
  // under a higher limit as if that had been given at first, use a checkpoint from before this
  // call. Requires: done().
  void Finish(EventLog& events, const std::function<void(const CheckpointReport&)>& report);

  // True if a stopping rule, Finish or a loss that is not finite has ended training for good.
  bool has_stopped() const { return !progress_.stop_reason.empty(); }
  const TrainingProgress& progress() const { return progress_; }
  std::size_t steps() const { return optimizer_.steps(); }
  std::size_t epochs() const;
  // Returns the steps of the current epoch; a stage of the curriculum may cut it short.
  std::size_t steps_per_epoch() const { return batcher_->num_batches(); }
  Model& model() { return model_; }
  // Of the epoch under way.
  const Batcher& batcher() const { return *batcher_; }
  // Sets the model to the best checkpoint's parameters. Requires: there is one.
  void RestoreBest();

 private:
  using Report = std::function<void(const CheckpointReport&)>;
  bool at_epoch_limit() const {
    return config_.max_epochs > 0 && progress_.epoch > config_.max_epochs;
  }
  bool at_step_limit() const { return config_.max_steps > 0 && steps() >= config_.max_steps; }
  bool checkpoint_is_due() const {
    return config_.checkpoint_steps > 0
               ? steps() % config_.checkpoint_steps == 0
               : progress_.examples_since_checkpoint >= config_.checkpoint_examples;
  }
  // The minibatches of the epoch under way, at the stage of the curriculum that its next step
  // belongs to. Throws InputError if it has none.
  void PlanEpoch();
  // Reports the progress.
  void Tell(const Report& report);
  // Does what is due after a minibatch whose loss and gradient are finite.
  void EndStep(EventLog& events, const Report& report);
  void EndEpoch(EventLog& events, const Report& report);
  void TakeCheckpoint(EventLog& events, const std::function<void(const CheckpointReport&)>& report);
  // Drops the sums of an unfinished epoch, which are not needed any more and may be infinite, which
  // a file cannot hold.
  void Stop(std::string_view reason) {
    progress_.stop_reason = reason;
    progress_.in_epoch = {};
  }

  RunSettings config_;
  std::vector<double> coefficients_;
  Model model_;
  Optimizer optimizer_;
  TrainStrings& training_;
  const StateTracker* tracker_;
  Curriculum curriculum_;
  std::optional<Batcher> batcher_;  // the current epoch's
  Schedule schedule_;
  Stopping stopping_;
  Validator validator_;
  Batch batch_;
  TrainingProgress progress_;
  BestParameters best_;
  CheckpointReport last_epoch_;
};

}  // namespace flare

#endif  // FLARE_TRAINING_TRAINER_H_
