// Matrix memories that decay, along the positions of one string: what gla.cc, mamba2.cc and
// rwkv7.cc have in common. As in the delta rule's (delta_kernels.h), a head's memory S has a row
// per dimension of the keys, rows of padded values: lanes are values. Of each position, with e what
// the memory says of p before it,
//
//   e = Sᵀ p      S ← diag(w) S − b eᵀ + k vᵀ      o = Sᵀ q
//
// from S = 0. Without p and b, e = 0; w is a number per key or one for all.

#ifndef FLARE_NN_KERNELS_MEMORY_KERNELS_H_
#define FLARE_NN_KERNELS_MEMORY_KERNELS_H_

#include <cstddef>

namespace flare {

// Vectors of each position and head: those of head h of position t begin at t·row + h·head. With
// head = 0, all heads have the same.
template <class Number>
struct HeadVectors {
  Number* data = nullptr;
  std::size_t row = 0, head = 0;

  Number* At(std::size_t t, std::size_t h) const { return data + t * row + h * head; }
};

struct MemoryShape {
  std::size_t n;             // positions
  std::size_t first;         // that of the first output
  std::size_t heads;         //
  std::size_t keys, values;  // of a head: dimensions of keys; of values, padded
  bool one_decay;            // is w one number per head?
  bool corrects;             // are there p and b?

  std::size_t memory() const { return keys * values; }  // floats of one head's S
  // Floats that MemoryForward and MemoryBackward need room for.
  std::size_t forward_scratch() const { return heads * memory(); }
  std::size_t backward_scratch() const { return (n + 2) * memory() + 3 * sum_parts(); }
  // Floats that sums of a number for each key have in eight parts, of whole blocks of eight keys.
  std::size_t sum_parts() const { return (keys + 7) / 8 * 64; }
};
template <class Number>
struct MemoryVectors {
  HeadVectors<Number> q, k, v, w, p, b;
};
// out: row 0 is that of position `first`.
void MemoryForward(const MemoryShape& shape, const MemoryVectors<const float>& in, float* scratch,
                   const HeadVectors<float>& out);
// Adds to the gradients of what it reads. Goes through the string twice: memories are recomputed
// rather than kept.
void MemoryBackward(const MemoryShape& shape, const MemoryVectors<const float>& in,
                    const HeadVectors<const float>& d_out, float* scratch,
                    const MemoryVectors<float>& gradient);

// From the gradient of μ_t = x_t + s ⊙ (x_{t−1} − x_t), positions of one string by `width` numbers,
// x_{−1} = 0: adds to those of x and of s.
void ShiftBackward(std::size_t positions, std::size_t width, const float* s, const float* x,
                   const float* d_mixed, float* ds, float* dx);

// What RWKV-7 adds to what memories say: y += (r·(k ⊙ ρ)) v in each head of `size` padded numbers.
struct Bonus {
  std::size_t heads, size;
  const float *r, *k, *v, *rho;
};
void BonusForward(const Bonus& bonus, float* y);
// Adds to the gradients of what it reads.
void BonusBackward(const Bonus& bonus, const float* dy, float* dr, float* dk, float* dv,
                   float* d_rho);
// Its keys, of rows of `width` numbers: from the gradients of k̃ = k ⊙ (1 + (a − 1) ⊙ α) and of k ⊙
// ξ to dk; adds to those of a, ξ and α.
struct Keys {
  std::size_t rows, width;
  const float *k, *a, *xi, *alpha;
};
void KeysBackward(const Keys& keys, const float* d_key, const float* d_scaled, float* dk, float* da,
                  float* d_xi, float* d_alpha);

// x = tanh(x).
void TanhForward(std::size_t count, float* x);
// α (rows, width) = σ(z + bias)^(1/root); z becomes z + bias.
void RootLogistic(std::size_t rows, std::size_t width, float root, const float* bias, float* z,
                  float* alpha);
// Turns the gradient of α into that of z, in place.
void RootLogisticBackward(std::size_t count, float root, const float* z, const float* alpha,
                          float* d);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_MEMORY_KERNELS_H_
