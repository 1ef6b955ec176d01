// A short causal depthwise convolution followed by SiLU, along the positions of one string: what
// mamba and deltanet do to their projections. Widths are multiples of 8 floats.

#ifndef FLARE_NN_KERNELS_CONVOLUTION_KERNELS_H_
#define FLARE_NN_KERNELS_CONVOLUTION_KERNELS_H_

#include <cstddef>

namespace flare {

inline constexpr std::size_t kConvolutionTaps = 4;  // K

struct ConvolutionShape {
  std::size_t n;       // positions
  std::size_t width;   // channels
  std::size_t stride;  // between the rows of x and of its gradient
  bool convolves;      // or is there only SiLU?
};

// pre_t = bias + Σ_k weights_k ⊙ x_{t−K+1+k}, zero before the string, or x_t if nothing is
// convolved; y = SiLU(pre), and slope its derivative, for the backward pass. weights (K, width);
// bias (width); slope and y (n, width).
void ConvolutionForward(const ConvolutionShape& shape, const float* weights, const float* bias,
                        const float* x, float* slope, float* y);
// From the gradient of y, which is overwritten: computes that of x, which is overwritten, and adds
// to those of weights and bias (null: it has none).
void ConvolutionBackward(const ConvolutionShape& shape, const float* weights, const float* x,
                         const float* slope, float* dy, float* dx, float* d_weights, float* d_bias);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_CONVOLUTION_KERNELS_H_
