// The loops of the transformer between its matrix products. Rows are string-major: the positions of
// a string lie side by side. Heads are the lanes of vectors: queries, keys and values have their
// columns ordered [dimension][head], so that attention looks only at causal pairs and, with eight
// heads or more, needs no shuffles and no horizontal sums. One, two or four heads do not fill a
// vector: it holds several dimensions of each, and their sums need one to three shuffles.

#ifndef FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_
#define FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace flare {

// Returns the number of pairs (i, j) with j ≤ i < n.
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
  std::size_t heads, dims;  // 1, 2, 4 or a multiple of eight; of one head. width() is one, too
  bool strict;              // does query i look at keys j < i, or j ≤ i?
  const float* slopes;      // (lanes()), or null: what a distance of 1 takes from a score
  // (pairs of all positions, lanes()), or null: what is added to a score. Not beside slopes.
  const float* biases = nullptr;

  std::size_t width() const { return heads * dims; }
  // The floats of a vector of heads. Lane l belongs to head l mod heads: fewer than eight heads
  // are repeated.
  std::size_t lanes() const { return heads < 8 ? 8 : heads; }
};
// qkv (n, 3·width): queries, keys, values of each position; out (n − first, width). `p` gets the
// probabilities before dropout, for every causal pair (i, j ≤ i) of these queries a vector of
// heads, side by side; null if no backward pass follows. `mask` has a keep-bit per pair and lane,
// of which the first of each head counts, or is null.
void AttentionForward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                      float mask_scale, float* p, float* scratch, float* out);
// d_qkv (n, 3·width) is overwritten; d_biases, if not null, is added to. `scratch` has room for n
// vectors of heads, in both directions.
void AttentionBackward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                       float mask_scale, const float* p, const float* d_out, float* scratch,
                       float* d_qkv, float* d_biases);
// Rotary positions: of each of the n rows, at a distance of `stride`, the dimensions (2i, 2i+1) of
// queries and keys are rotated by an angle whose cosine and sine are angles[t·dims + 2i] and the
// next; backwards if `direction` is −1.
void RotatePairs(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                 const float* angles, float direction, float* qkv);
// The same for one, two or four heads: a row of angles has a cosine for each of the columns, then a
// sine, which is negative for the first dimension of a pair.
void RotateFewHeads(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                    const float* angles, float direction, float* qkv);

// x (rows, width) += bias, then ReLU, then dropout if there is a mask.
void BiasReluDropout(std::size_t rows, std::size_t width, const float* bias,
                     const std::uint8_t* mask, float scale, float* x);
// Turns the gradient of its output y into that of its input, in place: d is scaled where y > 0,
// else 0.
void ReluDropoutBackward(std::size_t count, const float* y, float scale, float* d);
// residual += dropout(x + bias).
void BiasDropoutAdd(std::size_t rows, std::size_t width, const float* bias, const float* x,
                    const std::uint8_t* mask, float scale, float* residual);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_TRANSFORMER_KERNELS_H_
