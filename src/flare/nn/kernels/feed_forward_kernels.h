// Activations of feed-forward blocks other than ReLU (which is in transformer_kernels.h).

#ifndef FLARE_NN_KERNELS_FEED_FORWARD_KERNELS_H_
#define FLARE_NN_KERNELS_FEED_FORWARD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace flare {

// y = act(raw + bias), then dropout if there is a mask; raw becomes raw + bias. Rows of y have
// `units` floats.
//   gelu     raw (rows, units): z σ(√(8/π) (z + 0.044715 z³))
//   swiglu   raw (rows, 2·units): SiLU of the first half times the second
void GeluForward(std::size_t rows, std::size_t units, const float* bias, const std::uint8_t* mask,
                 float scale, float* raw, float* y);
void SwigluForward(std::size_t rows, std::size_t units, const float* bias, const std::uint8_t* mask,
                   float scale, float* raw, float* y);
// Computes the gradient of raw, which is overwritten, from that of y.
void GeluBackward(std::size_t rows, std::size_t units, const float* raw, const std::uint8_t* mask,
                  float scale, const float* dy, float* d_raw);
void SwigluBackward(std::size_t rows, std::size_t units, const float* raw, const std::uint8_t* mask,
                    float scale, const float* dy, float* d_raw);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_FEED_FORWARD_KERNELS_H_
