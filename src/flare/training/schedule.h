// What happens at a checkpoint (paper, Appendix D): the learning rate is halved after 5 checkpoints
// in a row without a decrease of the validation cross-entropy, and training stops after 10.

#ifndef FLARE_TRAINING_SCHEDULE_H_
#define FLARE_TRAINING_SCHEDULE_H_

#include <cstddef>
#include <optional>

#include "flare/runs/run_settings.h"

namespace flare {

class Schedule {
 public:
  struct State {
    double learning_rate = 0;
    std::optional<double> lowest;     // validation cross-entropy so far
    std::size_t since_lowest = 0;     // checkpoints without a decrease
    std::size_t since_reduction = 0;  // the same, but reset by each reduction
  };

  explicit Schedule(const RunSettings& config)
      : factor_(config.learning_rate_factor),
        reduction_patience_(config.learning_rate_patience),
        stopping_patience_(config.stopping_patience),
        state_{config.learning_rate, std::nullopt, 0, 0} {}

  // Takes the validation cross-entropy of a checkpoint; true if it is the lowest so far. A tie is
  // not a decrease.
  bool Observe(double cross_entropy) {
    if (!state_.lowest || cross_entropy < *state_.lowest) {
      state_.lowest = cross_entropy;
      state_.since_lowest = state_.since_reduction = 0;
      return true;
    }
    ++state_.since_lowest;
    if (++state_.since_reduction == reduction_patience_) {
      state_.learning_rate *= factor_;
      state_.since_reduction = 0;
    }
    return false;
  }

  double learning_rate() const { return state_.learning_rate; }
  bool exhausted() const { return state_.since_lowest >= stopping_patience_; }

  const State& state() const { return state_; }
  void Restore(const State& state) { state_ = state; }

 private:
  double factor_;
  std::size_t reduction_patience_, stopping_patience_;
  State state_;
};

}  // namespace flare

#endif  // FLARE_TRAINING_SCHEDULE_H_
