// The loops of the transformer between its matrix products. Rows are string-major: the positions of
// a string lie side by side. Heads, padded to a multiple of eight, are the lanes of vectors:
// queries, keys and values have their columns ordered [dimension][head], so that attention needs no
// shuffles and no horizontal sums, and looks only at causal pairs.

#ifndef FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_
#define FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace flare {

// How many pairs (i, j) with j ≤ i < n there are.
constexpr std::size_t CausalPairs(std::size_t n) { return n * (n + 1) / 2; }

// y = gain ⊙ (x − mean)/√(var + ε) + bias, row by row; keeps 1/√(var + ε) and the normalized rows.
void LayerNormForward(std::size_t rows, std::size_t width, const float* gain, const float* bias,
                      const float* x, float* normalized, float* inverse_deviation, float* y);
// dx += the gradient of x; adds to those of gain and bias.
void LayerNormBackward(std::size_t rows, std::size_t width, const float* gain,
                       const float* normalized, const float* inverse_deviation, const float* dy,
                       float* d_gain, float* d_bias, float* dx);

// Attention within one string of n positions, for the queries of positions first, …, n−1.
struct AttentionShape {
  std::size_t first, n;
  std::size_t heads, dims;  // padded to a multiple of eight; of one head
  bool strict;              // does query i look at keys j < i, or j ≤ i?
  const float* slopes;      // (heads), or null: what a distance of 1 takes from a score

  std::size_t width() const { return heads * dims; }
};
// qkv (n, 3·width): queries, keys, values of each position; out (n − first, width). `p` gets the
// probabilities before dropout, for every causal pair (i, j ≤ i) of these queries a vector of
// heads, side by side; null if no backward pass follows. `mask` has a keep-bit per pair and head,
// or is null.
void AttentionForward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                      float mask_scale, float* p, float* scratch, float* out);
// d_qkv (n, 3·width) is overwritten. `scratch` has room for n vectors of heads, in both directions.
void AttentionBackward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                       float mask_scale, const float* p, const float* d_out, float* scratch,
                       float* d_qkv);
// Rotary positions: of each of the n rows, at a distance of `stride`, the dimensions (2i, 2i+1) of
// queries and keys are rotated by an angle whose cosine and sine are angles[t·dims + 2i] and the
// next; backwards if `direction` is −1.
void RotatePairs(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                 const float* angles, float direction, float* qkv);

// x (rows, width) += bias, then ReLU, then dropout if there is a mask.
void BiasReluDropout(std::size_t rows, std::size_t width, const float* bias,
                     const std::uint8_t* mask, float scale, float* x);
// From the gradient of its output y to that of its input, in place: d is scaled where y > 0, else
// 0.
void ReluDropoutBackward(std::size_t count, const float* y, float scale, float* d);
// residual += dropout(x + bias).
void BiasDropoutAdd(std::size_t rows, std::size_t width, const float* bias, const float* x,
                    const std::uint8_t* mask, float scale, float* residual);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_
