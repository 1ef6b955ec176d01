// Norms within heads. Rows have heads side by side, each padded to a multiple of 8 floats with
// zeros, which stay zero.

#ifndef FLARE_NN_KERNELS_HEAD_KERNELS_H_
#define FLARE_NN_KERNELS_HEAD_KERNELS_H_

#include <cstddef>

namespace flare {

struct HeadLayout {
  std::size_t heads, dims;

  std::size_t padded() const { return (dims + 7) / 8 * 8; }  // of one head
  std::size_t width() const { return heads * padded(); }
  // Returns the place of unit i of heads · dims among the padded units.
  std::size_t Place(std::size_t i) const { return i / dims * padded() + i % dims; }
};

// Each head of x over √(Σ x² + 10⁻⁶), in place; keeps the factors (rows, heads). Rows are `stride`
// apart.
void NormalizeHeads(std::size_t rows, const HeadLayout& layout, std::size_t stride, float* x,
                    float* factor);
// Turns the gradient of the normalized y into that of x, in place.
void NormalizeHeadsBackward(std::size_t rows, const HeadLayout& layout, std::size_t stride,
                            const float* y, const float* factor, float* d);

// y = gain ⊙ x/√(mean x² + ε) within each head, ε = 10⁻⁵; with `centred`, x − mean x for x. Keeps
// the normalized rows and 1/√… (rows, heads).
void HeadNormForward(std::size_t rows, const HeadLayout& layout, bool centred, const float* gain,
                     const float* x, float* normalized, float* inverse, float* y);
// dx is overwritten; adds to the gradient of the gain.
void HeadNormBackward(std::size_t rows, const HeadLayout& layout, bool centred, const float* gain,
                      const float* normalized, const float* inverse, const float* dy, float* d_gain,
                      float* dx);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_HEAD_KERNELS_H_
