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
                        float* HWY_RESTRICT slope, float* HWY_RESTRICT y) {
  const F d;
  const std::size_t width = shape.width, stride = shape.stride;
  for (std::size_t t = 0; t < shape.n; ++t, x += stride, slope += width, y += width) {
    for (std::size_t c = 0; c < width; c += hn::Lanes(d)) {
      auto sum = hn::Load(d, shape.convolves ? bias + c : x + c);
      if (shape.convolves) {
        // The taps that reach back no further than the string does.
        for (std::size_t back = std::min(t, kConvolutionTaps - 1) + 1; back-- > 0;) {
          sum = hn::MulAdd(hn::Load(d, weights + (kConvolutionTaps - 1 - back) * width + c),
                           hn::Load(d, x - back * stride + c), sum);
        }
      }
      const auto s = Logistic(d, sum);
      hn::Store(SiluSlope(d, sum, s), d, slope + c);
      hn::Store(hn::Mul(sum, s), d, y + c);
    }
  }
}

// The gradients of x and of the taps of a vector of channels, c, from that of pre. What is carried
// from position to position stays in registers.
HWY_INLINE void TapsBackward(const ConvolutionShape& shape, std::size_t c,
                             const float* HWY_RESTRICT weights, const float* HWY_RESTRICT x,
                             const float* HWY_RESTRICT d_pre, float* HWY_RESTRICT dx,
                             float* HWY_RESTRICT d_weights) {
  static_assert(kConvolutionTaps == 4);
  const F d;
  const std::size_t n = shape.n, width = shape.width, stride = shape.stride;
  const auto zero = hn::Zero(d);
  const auto w0 = hn::Load(d, weights + c), w1 = hn::Load(d, weights + width + c),
             w2 = hn::Load(d, weights + 2 * width + c), w3 = hn::Load(d, weights + 3 * width + c);
  auto d0 = hn::Load(d, d_weights + c), d1 = hn::Load(d, d_weights + width + c),
       d2 = hn::Load(d, d_weights + 2 * width + c), d3 = hn::Load(d, d_weights + 3 * width + c);
  auto x1 = zero, x2 = zero, x3 = zero;  // one, two and three positions ago
  for (std::size_t t = 0; t < n; ++t) {
    const float* at = d_pre + t * width + c;
    const auto here = hn::Load(d, at), x0 = hn::Load(d, x + t * stride + c);
    // Tap k of pre_s looks at x_t for s = t + 3 − k.
    auto sum = zero;
    if (t + 3 < n) sum = hn::MulAdd(w0, hn::Load(d, at + 3 * width), sum);
    if (t + 2 < n) sum = hn::MulAdd(w1, hn::Load(d, at + 2 * width), sum);
    if (t + 1 < n) sum = hn::MulAdd(w2, hn::Load(d, at + width), sum);
    hn::Store(hn::MulAdd(w3, here, sum), d, dx + t * stride + c);
    if (t >= 3) d0 = hn::MulAdd(here, x3, d0);
    if (t >= 2) d1 = hn::MulAdd(here, x2, d1);
    if (t >= 1) d2 = hn::MulAdd(here, x1, d2);
    d3 = hn::MulAdd(here, x0, d3);
    x3 = x2;
    x2 = x1;
    x1 = x0;
  }
  hn::Store(d0, d, d_weights + c);
  hn::Store(d1, d, d_weights + width + c);
  hn::Store(d2, d, d_weights + 2 * width + c);
  hn::Store(d3, d, d_weights + 3 * width + c);
}

void ConvolutionBackward(const ConvolutionShape& shape, const float* HWY_RESTRICT weights,
                         const float* HWY_RESTRICT x, const float* HWY_RESTRICT slope,
                         float* HWY_RESTRICT dy, float* HWY_RESTRICT dx,
                         float* HWY_RESTRICT d_weights, float* HWY_RESTRICT d_bias) {
  const F d;
  const std::size_t n = shape.n, width = shape.width;
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t c = 0; c < width; c += hn::Lanes(d)) {
      const std::size_t at = t * width + c;
      const auto d_pre = hn::Mul(hn::Load(d, dy + at), hn::Load(d, slope + at));
      hn::Store(d_pre, d, shape.convolves ? dy + at : dx + t * shape.stride + c);
    }
  }
  if (!shape.convolves) return;
  const float* d_pre = dy;
  for (std::size_t c = 0; c < width; c += hn::Lanes(d)) {
    TapsBackward(shape, c, weights, x, d_pre, dx, d_weights);
    if (d_bias == nullptr) continue;
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
                        const float* x, float* slope, float* y) {
  ForThread(HWY_DISPATCH_TABLE(ConvolutionForward))(shape, weights, bias, x, slope, y);
}
void ConvolutionBackward(const ConvolutionShape& shape, const float* weights, const float* x,
                         const float* slope, float* dy, float* dx, float* d_weights,
                         float* d_bias) {
  ForThread(HWY_DISPATCH_TABLE(ConvolutionBackward))(shape, weights, x, slope, dy, dx, d_weights,
                                                     d_bias);
}

}  // namespace flare
#endif  // HWY_ONCE
