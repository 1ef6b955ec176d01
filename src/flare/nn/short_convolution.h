// SiLU after an optional causal depthwise convolution along each string: the parameters, and both
// directions.

#ifndef FLARE_NN_SHORT_CONVOLUTION_H_
#define FLARE_NN_SHORT_CONVOLUTION_H_

#include <cstddef>
#include <optional>
#include <utility>

#include "flare/base/error.h"
#include "flare/nn/aligned.h"
#include "flare/nn/kernels/convolution_kernels.h"
#include "flare/nn/output_rows.h"
#include "flare/nn/parameters.h"

namespace flare {

class ShortConvolution {
 public:
  struct Specs {
    ParameterSpec weights;              // {channels, taps}, a MatrixSpec
    std::optional<ParameterSpec> bias;  // {channels}
  };
  // `specs` is empty if nothing is to be convolved. `width` is that of the channels, padded;
  // `stride` is the distance between rows of x.
  ShortConvolution(Parameters& parameters, std::optional<Specs> specs, std::size_t width,
                   std::size_t stride)
      : parameters_(parameters),
        shape_{.n = 0, .width = width, .stride = stride, .convolves = specs.has_value()},
        zeros_(width, 0) {
    if (!specs) return;
    FLARE_CHECK(specs->weights.shape[1] == kConvolutionTaps);
    weights_ = parameters.Add(std::move(specs->weights));
    if (specs->bias) bias_ = parameters.Add(std::move(*specs->bias));
  }

  // x (R, stride); slope, for Backward, and y (R, width).
  void Forward(const OutputRows& rows, const float* x, float* slope, float* y) const {
    for (const OutputRows::String& s : rows.strings) {
      ConvolutionForward(Of(s), weights_ ? parameters_.value(*weights_) : nullptr,
                         bias_ ? parameters_.value(*bias_) : zeros_.data(),
                         x + s.first_row * shape_.stride, slope + s.first_row * shape_.width,
                         y + s.first_row * shape_.width);
    }
  }
  // dy and dx (R, stride) are overwritten.
  void Backward(const OutputRows& rows, const float* x, const float* slope, float* dy, float* dx) {
    for (const OutputRows::String& s : rows.strings) {
      const std::size_t narrow = s.first_row * shape_.width, wide = s.first_row * shape_.stride;
      ConvolutionBackward(Of(s), weights_ ? parameters_.value(*weights_) : nullptr, x + wide,
                          slope + narrow, dy + narrow, dx + wide,
                          weights_ ? parameters_.gradient(*weights_) : nullptr,
                          bias_ ? parameters_.gradient(*bias_) : nullptr);
    }
  }

 private:
  ConvolutionShape Of(const OutputRows::String& s) const {
    ConvolutionShape shape = shape_;
    shape.n = s.positions;
    return shape;
  }

  Parameters& parameters_;
  ConvolutionShape shape_;
  std::optional<std::size_t> weights_, bias_;
  FloatArray zeros_;  // (width)
};

}  // namespace flare

#endif  // FLARE_NN_SHORT_CONVOLUTION_H_
