#include "flare/nn/kernels/head_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/head_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include <cmath>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/head_sums-inl.h"
#include "flare/nn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void NormalizeHeads(std::size_t rows, const HeadLayout& layout, std::size_t stride,
                    float* HWY_RESTRICT x, float* HWY_RESTRICT factor) {
  const F d;
  const std::size_t size = layout.padded();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < layout.heads; ++h) {
      float* head = x + r * stride + h * size;
      const float squares = SumOfVectors(size, [&](std::size_t i) {
        const auto value = hn::Load(d, head + i);
        return hn::Mul(value, value);
      });
      const float inverse = 1.0f / std::sqrt(squares + 1e-6f);
      factor[r * layout.heads + h] = inverse;
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        hn::Store(hn::Mul(hn::Load(d, head + i), hn::Set(d, inverse)), d, head + i);
      }
    }
  }
}

void NormalizeHeadsBackward(std::size_t rows, const HeadLayout& layout, std::size_t stride,
                            const float* HWY_RESTRICT y, const float* HWY_RESTRICT factor,
                            float* HWY_RESTRICT gradient) {
  const F d;
  const std::size_t size = layout.padded();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < layout.heads; ++h) {
      const float* out = y + r * stride + h * size;
      float* g = gradient + r * stride + h * size;
      const auto along = hn::Set(d, SumOfVectors(size, [&](std::size_t i) {
                                   return hn::Mul(hn::Load(d, out + i), hn::Load(d, g + i));
                                 }));
      const auto scale = hn::Set(d, factor[r * layout.heads + h]);
      // dx = (dy − y (y·dy))/√…
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        const auto across = hn::NegMulAdd(hn::Load(d, out + i), along, hn::Load(d, g + i));
        hn::Store(hn::Mul(across, scale), d, g + i);
      }
    }
  }
}

// 1 for the dimensions of a head from i on, 0 for its padding.
HWY_INLINE hn::Vec<F> IsDimension(std::size_t i, std::size_t dims) {
  const F d;
  HWY_ALIGN float ones[8];
  for (std::size_t l = 0; l < 8; ++l) ones[l] = i + l < dims ? 1.0f : 0.0f;
  return hn::Load(d, ones);
}

void HeadNormForward(std::size_t rows, const HeadLayout& layout, bool centred,
                     const float* HWY_RESTRICT gain, const float* HWY_RESTRICT x,
                     float* HWY_RESTRICT normalized, float* HWY_RESTRICT inverse,
                     float* HWY_RESTRICT y) {
  const F d;
  const std::size_t size = layout.padded(), dims = layout.dims;
  const float share = 1.0f / static_cast<float>(dims);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < layout.heads; ++h) {
      const std::size_t at = r * layout.width() + h * size;
      const float mean =
          centred
              ? share * SumOfVectors(size, [&](std::size_t i) { return hn::Load(d, x + at + i); })
              : 0.0f;
      const auto centred_at = [&](std::size_t i) {
        const auto value = hn::Load(d, x + at + i);
        if (!centred) return value;
        return hn::Mul(hn::Sub(value, hn::Set(d, mean)), IsDimension(i, dims));
      };
      const float squares = SumOfVectors(size, [&](std::size_t i) {
        const auto value = centred_at(i);
        return hn::Mul(value, value);
      });
      const float scale = 1.0f / std::sqrt(squares * share + 1e-5f);
      inverse[r * layout.heads + h] = scale;
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        const auto value = hn::Mul(centred_at(i), hn::Set(d, scale));
        hn::Store(value, d, normalized + at + i);
        hn::Store(hn::Mul(value, hn::Load(d, gain + h * size + i)), d, y + at + i);
      }
    }
  }
}

void HeadNormBackward(std::size_t rows, const HeadLayout& layout, bool centred,
                      const float* HWY_RESTRICT gain, const float* HWY_RESTRICT normalized,
                      const float* HWY_RESTRICT inverse, const float* HWY_RESTRICT dy,
                      float* HWY_RESTRICT d_gain, float* HWY_RESTRICT dx) {
  const F d;
  const std::size_t size = layout.padded(), dims = layout.dims;
  const float share = 1.0f / static_cast<float>(dims);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < layout.heads; ++h) {
      const std::size_t at = r * layout.width() + h * size;
      const auto g_at = [&](std::size_t i) {
        return hn::Mul(hn::Load(d, dy + at + i), hn::Load(d, gain + h * size + i));
      };
      const auto mean = hn::Set(d, centred ? share * SumOfVectors(size, g_at) : 0.0f);
      const auto slope = hn::Set(d, share * SumOfVectors(size, [&](std::size_t i) {
                                      return hn::Mul(g_at(i), hn::Load(d, normalized + at + i));
                                    }));
      const auto scale = hn::Set(d, inverse[r * layout.heads + h]);
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        const auto n = hn::Load(d, normalized + at + i);
        // dx = (g − mean g − n · mean(g n)) / σ
        auto value = hn::Mul(hn::Sub(hn::NegMulAdd(n, slope, g_at(i)), mean), scale);
        if (centred) value = hn::Mul(value, IsDimension(i, dims));
        hn::Store(value, d, dx + at + i);
        float* total = d_gain + h * size + i;
        hn::Store(hn::MulAdd(hn::Load(d, dy + at + i), n, hn::Load(d, total)), d, total);
      }
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(NormalizeHeads);
HWY_EXPORT(NormalizeHeadsBackward);
HWY_EXPORT(HeadNormForward);
HWY_EXPORT(HeadNormBackward);

void NormalizeHeads(std::size_t rows, const HeadLayout& layout, std::size_t stride, float* x,
                    float* factor) {
  ForThread(HWY_DISPATCH_TABLE(NormalizeHeads))(rows, layout, stride, x, factor);
}
void NormalizeHeadsBackward(std::size_t rows, const HeadLayout& layout, std::size_t stride,
                            const float* y, const float* factor, float* d) {
  ForThread(HWY_DISPATCH_TABLE(NormalizeHeadsBackward))(rows, layout, stride, y, factor, d);
}
void HeadNormForward(std::size_t rows, const HeadLayout& layout, bool centred, const float* gain,
                     const float* x, float* normalized, float* inverse, float* y) {
  ForThread(HWY_DISPATCH_TABLE(HeadNormForward))(rows, layout, centred, gain, x, normalized,
                                                 inverse, y);
}
void HeadNormBackward(std::size_t rows, const HeadLayout& layout, bool centred, const float* gain,
                      const float* normalized, const float* inverse, const float* dy, float* d_gain,
                      float* dx) {
  ForThread(HWY_DISPATCH_TABLE(HeadNormBackward))(rows, layout, centred, gain, normalized, inverse,
                                                  dy, d_gain, dx);
}

}  // namespace flare
#endif  // HWY_ONCE
