// Adam with clipping of the whole gradient (paper, Appendix D).

#ifndef FLARE_NN_ADAM_H_
#define FLARE_NN_ADAM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "flare/nn/aligned.h"
#include "flare/nn/parameters.h"

namespace flare {

struct AdamConfig {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 5;  // the gradient's L2 norm is rescaled to this if it is above; 0: never
  // 1−β from a β that was rounded to single precision, as version 0.1 had it: 1−β₂ is 1.3·10⁻⁵ too
  // small, and a step up to 6·10⁻⁶ too long. For architectures whose bits are those of 0.1.
  bool rounded_betas = false;
};

class Adam {
 public:
  Adam(const Parameters& parameters, const AdamConfig& config)
      : config_(config), m_(parameters.flat_size(), 0), v_(parameters.flat_size(), 0) {}

  // Changes the values by the gradients; returns the gradient's norm before clipping.
  double Step(double learning_rate, Parameters& parameters);

  // What a resumed run must continue with: the number of steps and both moments, flat.
  std::uint64_t steps() const { return steps_; }
  const FloatArray& first_moment() const { return m_; }
  const FloatArray& second_moment() const { return v_; }
  // Requires: moments of the parameters' flat size.
  void Restore(std::uint64_t steps, std::span<const float> first, std::span<const float> second);

 private:
  AdamConfig config_;
  std::uint64_t steps_ = 0;
  FloatArray m_, v_;
};

}  // namespace flare

#endif  // FLARE_NN_ADAM_H_
