// The loops of the optimizers, over flat arrays of whole vectors.

#ifndef FLARE_NN_KERNELS_OPTIMIZER_KERNELS_H_
#define FLARE_NN_KERNELS_OPTIMIZER_KERNELS_H_

#include <cstddef>

namespace flare {

// Σ x², in a fixed order.
double SumOfSquares(std::size_t count, const float* x);

// One step of Adam on flat arrays (Kingma & Ba 2015); g is multiplied by `gradient_scale` first.
// Each β comes with 1−β, which cannot be had from its float: 1 − 0.999f is off by 10⁻⁵.
// The bias corrections are in `step_size` = η √(1−β₂ᵗ)/(1−β₁ᵗ) and `epsilon` = ε √(1−β₂ᵗ).
struct AdamDecay {
  float beta, complement;
};
void AdamStep(std::size_t count, float gradient_scale, float step_size, AdamDecay of_mean,
              AdamDecay of_square, float epsilon, const float* g, float* m, float* v, float* x);
// The same with weight decay: `coupled` times x is added to the gradient, after it was scaled, and
// x is multiplied by `shrink` before the step.
void AdamStepWithDecay(std::size_t count, float gradient_scale, float coupled, float shrink,
                       float step_size, AdamDecay of_mean, AdamDecay of_square, float epsilon,
                       const float* g, float* m, float* v, float* x);

// One step of SGD with momentum and of RMSprop (optimizer_catalogue.cc). g is multiplied by
// `gradient_scale`, then `weight_decay` times x is added.
void SgdStep(std::size_t count, float gradient_scale, float weight_decay, float learning_rate,
             float momentum, const float* g, float* buffer, float* x);
void RmsPropStep(std::size_t count, float gradient_scale, float weight_decay, float learning_rate,
                 AdamDecay of_square, float momentum, float epsilon, const float* g, float* v,
                 float* buffer, float* x);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_OPTIMIZER_KERNELS_H_
