// Decides which checkpoint is the best, and when training ends: by patience (paper, Appendix D:
// after 10 checkpoints without a decrease of the validation cross-entropy), or as soon as a figure
// of the validation split reaches a value. The rules are a catalogue, a line each, in stopping.cc;
// all of them apply. trainer.h applies the limits of epochs and steps besides.

#ifndef FLARE_TRAINING_STOPPING_H_
#define FLARE_TRAINING_STOPPING_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/runs/recipe.h"
#include "flare/runs/run_settings.h"

namespace flare {

// The state of the stopping rules after the checkpoints so far.
struct StoppingState {
  std::optional<double> best;  // value of the figure `select`
  std::size_t since_best = 0;  // checkpoints without an improvement
  std::size_t reached = 0;     // checkpoints in a row at which `stop_at` held
};

struct StoppingRule {
  std::string_view reason;  // recorded as the reason why training ended
  bool (*ends)(const RunSettings& settings, const StoppingState& state);
};
std::span<const StoppingRule> StoppingRules();

class Stopping {
 public:
  explicit Stopping(const RunSettings& settings);

  // Takes the figures of a checkpoint, and returns whether it is the best so far. A tie is not an
  // improvement. Throws InputError if the figure `select` is not among them.
  bool Observe(const Figures& figures);
  // Returns why training ends here; empty if it continues.
  std::string_view reason() const;

  const StoppingState& state() const { return state_; }
  void Restore(const StoppingState& state) { state_ = state; }

 private:
  RunSettings settings_;
  std::optional<FigureCondition> target_;
  StoppingState state_;
};

}  // namespace flare

#endif  // FLARE_TRAINING_STOPPING_H_
