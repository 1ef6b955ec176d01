// Optimizers: a catalogue, one file each, which describes it, and one line each. All of them clip
// the whole gradient first (paper, Appendix D), and follow PyTorch's optimizer of the same name.
//
//   Optimizer optimizer(model.parameters(), {.name = "adamw", .weight_decay = 0.1});
//   model.Gradients(...);
//   optimizer.Step(learning_rate, model.parameters());  model.ParametersChanged();

#ifndef FLARE_NN_OPTIMIZER_H_
#define FLARE_NN_OPTIMIZER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/parameters.h"

namespace flare {

struct OptimizerConfig {
  std::string name = "adam";
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum = 0;
  double rmsprop_decay = 0.99;  // decays RMSprop's mean square; PyTorch's alpha
  double weight_decay = 0;
  // Do biases, norms, initial states and rates decay, too? Otherwise only matrices do.
  bool decays_all = false;
  double clip_norm = 5;  // the gradient's L2 norm is rescaled to this if it is above; 0: never
  // 1−β from a β that was rounded to single precision, as version 0.1 had it: 1−β₂ is 1.3·10⁻⁵ too
  // small, and a step up to 6·10⁻⁶ too long. For architectures whose bits are those of 0.1.
  bool rounded_betas = false;
};

// The arrays that an optimizer may remember.
constexpr std::size_t kMostOptimizerStates = 2;

// The input of an optimizer: a stretch of the flat arrays, all of it with the same weight decay.
struct OptimizerUpdate {
  const OptimizerConfig& config;
  double learning_rate;
  std::uint64_t step;     // from 1
  double gradient_scale;  // clipping multiplies the gradient by it
  double weight_decay;
  std::size_t count;
  const float* gradient;
  std::array<float*, kMostOptimizerStates> state;  // one for each of OptimizerInfo::state
  float* values;
};

struct OptimizerInfo {
  std::string name;
  std::string help;
  // The settings that it reads besides the learning rate and clip_norm, by their names in a run.
  std::vector<std::string> settings;
  // Its state per parameter, zero at first, by the names of tensors in checkpoints.
  std::vector<std::string> state;
  void (*update)(const OptimizerUpdate& update);
};

// The first is the default.
std::span<const OptimizerInfo> OptimizerCatalog();
// Null if there is no such optimizer.
const OptimizerInfo* FindOptimizer(std::string_view name);

class Optimizer {
 public:
  // Requires: a known name.
  Optimizer(const Parameters& parameters, const OptimizerConfig& config);

  // Changes the values by the gradients; returns the gradient's norm before clipping.
  double Step(double learning_rate, Parameters& parameters);

  const OptimizerInfo& info() const { return *info_; }
  // The state that a resumed run must continue with: the number of steps, and a flat array for each
  // of info().state.
  std::uint64_t steps() const { return steps_; }
  std::span<const FloatArray> state() const { return state_; }
  // Requires: as many arrays, of the same sizes.
  void Restore(std::uint64_t steps, std::span<const std::vector<float>> state);

 private:
  // A parameter's place in the flat arrays.
  struct Stretch {
    std::size_t begin, end;
    bool decays;
  };

  OptimizerConfig config_;
  const OptimizerInfo* info_;
  std::uint64_t steps_ = 0;
  std::vector<FloatArray> state_;
  std::vector<Stretch> stretches_;
};

}  // namespace flare

#endif  // FLARE_NN_OPTIMIZER_H_
