// A decay of every position and head that depends on the input: with s = softplus(w·x + b),
// α = exp(−exp(a)·s).

#ifndef FLARE_NN_FORGET_GATE_H_
#define FLARE_NN_FORGET_GATE_H_

#include <algorithm>
#include <cstddef>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/delta_kernels.h"
#include "flare/nn/kernels/mamba_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/mixer.h"
#include "flare/nn/parameters.h"

namespace flare {

class ForgetGate {
 public:
  // `map` names the weights w; `draw_log_rate` draws a.
  ForgetGate(const MixerContext& c, const char* map, std::size_t heads,
             double (*draw_log_rate)(Rng&))
      : parameters_(c.parameters),
        width_(Padded(heads)),
        step_(c.parameters, ReferenceLinear(c.Matrix(map, heads, c.d)), StepBias(c, heads),
              Linear::Result::kAdds),
        log_rate_(c.parameters.Add(LogRate(c, heads, draw_log_rate))),
        rate_(width_),
        d_rate_(width_) {}

  void ParametersChanged() { step_.ParametersChanged(); }
  std::size_t width() const { return width_; }  // heads, padded
  // slope, step and alpha (rows, width): softplus's derivative, s and α.
  void Forward(std::size_t rows, const float* x, float* slope, float* step, float* alpha) {
    ExpForward(width_, parameters_.value(log_rate_), rate_.data());
    step_.Product(rows, x, slope);
    BiasSoftplus(rows, width_, step_.bias(), slope, step);
    DecayForward(rows, width_, rate_.data(), step, alpha);
  }
  // d_alpha is overwritten; d_step, if not null, is a gradient of s besides; dx += ….
  void Backward(std::size_t rows, const float* x, const float* slope, const float* step,
                const float* alpha, const float* d_step, float* d_alpha, float* dx) {
    std::fill(d_rate_.begin(), d_rate_.end(), 0.0f);
    DecayBackward(rows, width_, rate_.data(), step, alpha, d_alpha, d_rate_.data());
    AddProducts(width_, d_rate_.data(), rate_.data(), parameters_.gradient(log_rate_));
    for (std::size_t i = 0; d_step != nullptr && i < rows * width_; ++i) d_alpha[i] += d_step[i];
    MultiplyBy(rows * width_, slope, d_alpha);
    step_.Backward(rows, x, d_alpha, dx);
  }

 private:
  static ParameterSpec StepBias(const MixerContext& c, std::size_t heads) {
    ParameterSpec spec = c.Vector("dt_bias", heads);
    spec.Draw([](std::size_t, Rng& rng) { return DrawStepBias(rng); });
    return spec;
  }
  static ParameterSpec LogRate(const MixerContext& c, std::size_t heads, double (*draw)(Rng&)) {
    ParameterSpec spec = c.Vector("A_log", heads);
    spec.Draw([draw](std::size_t, Rng& rng) { return draw(rng); });
    return spec;
  }

  Parameters& parameters_;
  std::size_t width_;
  Affine step_;
  std::size_t log_rate_;
  FloatArray rate_, d_rate_;  // (width)
};

}  // namespace flare

#endif  // FLARE_NN_FORGET_GATE_H_
