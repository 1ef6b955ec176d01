// A short causal depthwise convolution followed by SiLU, along the positions of one string: what
// mamba and deltanet do to their projections. Widths are multiples of 8 floats.

#ifndef FLARE_NN_KERNELS_CONVOLUTION_KERNELS_H_
#define FLARE_NN_KERNELS_CONVOLUTION_KERNELS_H_

#include <cstddef>

namespace flare {

struct ConvolutionShape {
  std::size_t n;       // positions
  std::size_t width;   // channels
  std::size_t stride;  // between the rows of x and of its gradient
  std::size_t taps;    // K; with 0, nothing is convolved
};

// pre_t = bias + Σ_k weights_k ⊙ x_{t−K+1+k}, zero before the string, or x_t if K = 0; y =
// SiLU(pre). weights (K, width); bias (width); pre and y (n, width).
void ConvolutionForward(const ConvolutionShape& shape, const float* weights, const float* bias,
                        const float* x, float* pre, float* y);
// Turns the gradient of y into that of pre, computes that of x, which is overwritten, and adds to
// those of weights and bias (null: it has none).
void ConvolutionBackward(const ConvolutionShape& shape, const float* weights, const float* x,
                         const float* pre, float* dy, float* dx, float* d_weights, float* d_bias);

}  // namespace flare

#endif  // FLARE_NN_KERNELS_CONVOLUTION_KERNELS_H_
