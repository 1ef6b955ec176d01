// The keep-bits of dropout, and what they do. Widths are multiples of 8 floats.

#ifndef FLARE_NN_KERNELS_DROPOUT_KERNELS_H_
#define FLARE_NN_KERNELS_DROPOUT_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace flare {

// y (count) = x·mask·scale for a mask of one bit per element, in whole bytes.
void ApplyDropout(std::size_t count, const std::uint8_t* mask, float scale, const float* x,
                  float* y);

// The keep-bits of dropout: bit u of byte b of row r is 1 if the 16 bits that Philox4x32-10 has for
// (key; b, position[r], string[r], site), element u, are at least `threshold`.
struct DropoutKey {
  std::uint32_t key[2];
};
void DropoutBits(std::size_t rows, std::size_t width, const std::uint32_t* position,
                 const std::uint32_t* string, std::uint32_t site, DropoutKey key,
                 std::uint32_t threshold, std::uint8_t* bits);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_DROPOUT_KERNELS_H_
