// The matrix memory of the mLSTM along the positions of one string (mlstm.cc), laid out as the
// delta rule's: a row per dimension of the keys, lanes are values.

#ifndef FLARE_NN_KERNELS_MLSTM_KERNELS_H_
#define FLARE_NN_KERNELS_MLSTM_KERNELS_H_

#include <cstddef>

#include "flare/nn/kernels/head_kernels.h"

namespace flare {

// Gates of the positions of one string. `gates` (n, 2·width) has the pre-activations ĩ and f̃ of
// every head and becomes i = exp(ĩ − m) and f = exp(log σ(f̃) + m_{t−1} − m), with the stabilizer m
// = max(log σ(f̃) + m_{t−1}, ĩ) from m = 0; bound (n, width) is exp(−m). `slope` (n, width) gets
// σ(−f̃), the derivative of log σ(f̃). width: heads, padded; bias (2·width).
void MLstmGates(std::size_t n, std::size_t width, const float* bias, float* gates, float* slope,
                float* bound);

struct MLstmShape {
  std::size_t n;      // positions
  std::size_t first;  // that of the first output
  HeadLayout heads;
  std::size_t gate_width;  // heads, padded

  std::size_t row() const { return 3 * heads.width(); }               // q, k, v
  std::size_t memory() const { return heads.dims * heads.padded(); }  // floats of one head's C
  std::size_t state() const { return memory() + heads.padded(); }     // C and the normalizer
  // Floats that MLstmForward and MLstmBackward need room for.
  std::size_t forward_scratch() const { return heads.heads * state(); }
  std::size_t backward_scratch() const { return (n + 1) * state(); }
};
struct MLstmInput {
  const float* qkv;                    // (n, row())
  const float *gates, *slope, *bound;  // as MLstmGates leaves them
};
// C ← f C + i v kᵀ,  n ← f n + i k,  h = C q/max(|n·q|, exp(−m)), with k/√dims for k; out
// (n − first, heads.width()).
void MLstmForward(const MLstmShape& shape, const MLstmInput& in, float* scratch, float* out);
// Goes through the string twice: memories are recomputed rather than kept. d_qkv is overwritten;
// so is d_gates (n, 2·gate_width), the gradients of ĩ and f̃, but for its padding.
void MLstmBackward(const MLstmShape& shape, const MLstmInput& in, const float* d_out,
                   float* scratch, float* d_qkv, float* d_gates);

// out (rows, width) = σ(o + bias) ⊙ h; o becomes σ(o + bias).
void OutputGateForward(std::size_t rows, std::size_t width, const float* bias, const float* h,
                       float* o, float* out);
// Computes the gradients of h and of o's input, which are overwritten, from d_out.
void OutputGateBackward(std::size_t rows, std::size_t width, const float* h, const float* o,
                        const float* d_out, float* dh, float* d_o);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_MLSTM_KERNELS_H_
