// The loops of the optimizer, over flat arrays of whole vectors.

#ifndef FLARE_NN_KERNELS_ADAM_KERNELS_H_
#define FLARE_NN_KERNELS_ADAM_KERNELS_H_

#include <cstddef>

namespace flare {

// Σ x², in a fixed order.
double SumOfSquares(std::size_t count, const float* x);

// One step of Adam on flat arrays (Kingma & Ba 2015); g is multiplied by `gradient_scale` first.
// The bias corrections are in `step_size` = η √(1−β₂ᵗ)/(1−β₁ᵗ) and `epsilon` = ε √(1−β₂ᵗ).
void AdamStep(std::size_t count, float gradient_scale, float step_size, float beta1, float beta2,
              float epsilon, const float* g, float* m, float* v, float* x);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_ADAM_KERNELS_H_
