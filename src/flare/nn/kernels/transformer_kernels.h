// The loops of the transformer between its matrix products. Rows are string-major: the positions of
// a string lie side by side. Eight heads are the eight lanes of a vector: queries, keys and values
// have their columns ordered [dimension][head], so that attention needs no shuffles, no horizontal
// sums and no padding, and looks only at causal pairs.

#ifndef FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_
#define FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace flare {

inline constexpr std::size_t kHeads = 8;
// How many pairs (i, j) with j ≤ i < n there are.
constexpr std::size_t CausalPairs(std::size_t n) { return n * (n + 1) / 2; }

// y = gain ⊙ (x − mean)/√(var + ε) + bias, row by row; keeps 1/√(var + ε) and the normalized rows.
void LayerNormForward(std::size_t rows, std::size_t width, const float* gain, const float* bias,
                      const float* x, float* normalized, float* inverse_deviation, float* y);
// dx += the gradient of x; adds to those of gain and bias.
void LayerNormBackward(std::size_t rows, std::size_t width, const float* gain,
                       const float* normalized, const float* inverse_deviation, const float* dy,
                       float* d_gain, float* d_bias, float* dx);

// Attention within one string of n positions, for the queries of positions first, …, n−1. qkv (n,
// 3d): queries, keys, values of each position; out (n − first, d). `p` gets the probabilities
// before dropout, for every causal pair (i, j ≤ i) of these queries a vector of heads, side by
// side; null if no backward pass follows. `mask` has a byte of keep-bits per pair, or is null.
void AttentionForward(std::size_t first, std::size_t n, std::size_t d, const float* qkv,
                      const std::uint8_t* mask, float mask_scale, float* p, float* scratch,
                      float* out);
// d_qkv (n, 3d) is overwritten. `scratch` has room for n vectors of heads, in both directions.
void AttentionBackward(std::size_t first, std::size_t n, std::size_t d, const float* qkv,
                       const std::uint8_t* mask, float mask_scale, const float* p,
                       const float* d_out, float* scratch, float* d_qkv);

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
