// The delta rule along the positions of one string (deltanet.cc). A head's memory S has a row per
// dimension of the keys, padded rows of values in it: lanes are values, and there is nothing to
// transpose.

#ifndef FLARE_NN_KERNELS_DELTA_KERNELS_H_
#define FLARE_NN_KERNELS_DELTA_KERNELS_H_

#include <cstddef>

#include "flare/nn/kernels/head_kernels.h"

namespace flare {

// β (rows, width) = most · σ(x), in place.
void ScaledLogistic(std::size_t count, float most, float* x);
// Turns the gradient of β into that of x, in place.
void ScaledLogisticBackward(std::size_t count, float most, const float* beta, float* d);

// α = exp(−rate ⊙ s) for rows of s (rows, width); rate (width).
void DecayForward(std::size_t rows, std::size_t width, const float* rate, const float* s,
                  float* alpha);
// Turns the gradient of α into that of s, in place, and adds to that of the rate.
void DecayBackward(std::size_t rows, std::size_t width, const float* rate, const float* s,
                   const float* alpha, float* d, float* d_rate);

struct DeltaShape {
  std::size_t n;      // positions
  std::size_t first;  // that of the first output
  HeadLayout heads;
  std::size_t steps;  // Householder steps per position
  // The distance between the rows of β, with step s of head h at s·heads + h, and of α.
  std::size_t beta_stride, alpha_stride;

  // A row of vectors: q, then k and v of each step.
  std::size_t row() const { return (1 + 2 * steps) * heads.width(); }
  std::size_t memory() const { return heads.dims * heads.padded(); }  // floats of one head's S
  // Floats that DeltaForward and DeltaBackward need room for.
  std::size_t forward_scratch() const { return heads.heads * memory(); }
  std::size_t backward_scratch() const { return (n * (steps + 1) + 1) * memory(); }
};
struct DeltaInput {
  const float *vectors, *beta;
  const float* alpha;  // null: 1
};
// S ← α S, then S ← S(I − β k kᵀ) + β v kᵀ for each step, o = S q; out (n − first, heads.width()).
void DeltaForward(const DeltaShape& shape, const DeltaInput& in, float* scratch, float* out);
struct DeltaGradient {
  float *vectors, *beta, *alpha;  // overwritten, but for the padding of beta and alpha
};
// Goes through the string twice: memories are recomputed rather than kept.
void DeltaBackward(const DeltaShape& shape, const DeltaInput& in, const float* d_out,
                   float* scratch, const DeltaGradient& gradient);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_DELTA_KERNELS_H_
