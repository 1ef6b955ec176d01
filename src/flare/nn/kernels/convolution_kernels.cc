#include "flare/nn/kernels/convolution_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/convolution_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include <algorithm>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/softplus-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ConvolutionForward(const ConvolutionShape& shape, const float* HWY_RESTRICT weights,
                        const float* HWY_RESTRICT bias, const float* HWY_RESTRICT x,
                        float* HWY_RESTRICT pre, float* HWY_RESTRICT y) {
  const F d;
  const std::size_t width = shape.width, taps = shape.taps;
  for (std::size_t t = 0; t < shape.n; ++t, pre += width, y += width) {
    // The taps that reach back no further than the string does.
    const std::size_t first = taps - std::min(taps, t + 1);
    for (std::size_t c = 0; c < width; c += hn::Lanes(d)) {
      auto sum = hn::Load(d, taps == 0 ? x + t * shape.stride + c : bias + c);
      for (std::size_t k = first; k < taps; ++k) {
        sum = hn::MulAdd(hn::Load(d, weights + k * width + c),
                         hn::Load(d, x + (t + 1 + k - taps) * shape.stride + c), sum);
      }
      hn::Store(sum, d, pre + c);
      hn::Store(hn::Mul(sum, Logistic(d, sum)), d, y + c);
    }
  }
}

void ConvolutionBackward(const ConvolutionShape& shape, const float* HWY_RESTRICT weights,
                         const float* HWY_RESTRICT x, const float* HWY_RESTRICT pre,
                         float* HWY_RESTRICT dy, float* HWY_RESTRICT dx,
                         float* HWY_RESTRICT d_weights, float* HWY_RESTRICT d_bias) {
  const F d;
  const std::size_t n = shape.n, width = shape.width, taps = shape.taps;
  for (std::size_t i = 0; i < n * width; i += hn::Lanes(d)) {
    const auto value = hn::Load(d, pre + i);
    const auto slope = SiluSlope(d, value, Logistic(d, value));
    hn::Store(hn::Mul(hn::Load(d, dy + i), slope), d, dy + i);
  }
  const float* d_pre = dy;
  for (std::size_t c = 0; c < width; c += hn::Lanes(d)) {
    for (std::size_t t = 0; t < n; ++t) {
      auto sum = taps == 0 ? hn::Load(d, d_pre + t * width + c) : hn::Zero(d);
      // Tap k of pre_s looks at x_t for s = t + K − 1 − k.
      for (std::size_t k = 0; k < taps; ++k) {
        const std::size_t s = t + taps - 1 - k;
        if (s >= n) continue;
        sum = hn::MulAdd(hn::Load(d, weights + k * width + c), hn::Load(d, d_pre + s * width + c),
                         sum);
      }
      hn::Store(sum, d, dx + t * shape.stride + c);
    }
    for (std::size_t k = 0; k < taps; ++k) {
      auto sum = hn::Load(d, d_weights + k * width + c);
      for (std::size_t s = taps - 1 - k; s < n; ++s) {
        sum = hn::MulAdd(hn::Load(d, d_pre + s * width + c),
                         hn::Load(d, x + (s + 1 + k - taps) * shape.stride + c), sum);
      }
      hn::Store(sum, d, d_weights + k * width + c);
    }
    if (taps == 0 || d_bias == nullptr) continue;
    auto sum = hn::Load(d, d_bias + c);
    for (std::size_t t = 0; t < n; ++t) sum = hn::Add(sum, hn::Load(d, d_pre + t * width + c));
    hn::Store(sum, d, d_bias + c);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(ConvolutionForward);
HWY_EXPORT(ConvolutionBackward);

void ConvolutionForward(const ConvolutionShape& shape, const float* weights, const float* bias,
                        const float* x, float* pre, float* y) {
  ForThread(HWY_DISPATCH_TABLE(ConvolutionForward))(shape, weights, bias, x, pre, y);
}
void ConvolutionBackward(const ConvolutionShape& shape, const float* weights, const float* x,
                         const float* pre, float* dy, float* dx, float* d_weights, float* d_bias) {
  ForThread(HWY_DISPATCH_TABLE(ConvolutionBackward))(shape, weights, x, pre, dy, dx, d_weights,
                                                     d_bias);
}

}  // namespace flare
#endif  // HWY_ONCE
