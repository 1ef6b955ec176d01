#include "flare/nn/kernels/feed_forward_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/feed_forward_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/softplus-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float kGeluScale = 1.5957691216057308f;  // √(8/π)
constexpr float kGeluCube = 0.044715f;

// Applies dropout to a vector that begins at element `i` of the mask's rows.
template <class V>
HWY_INLINE V Dropped(const std::uint8_t* mask, std::size_t i, float scale, V y) {
  if (mask == nullptr) return y;
  const F d;
  const std::uint8_t bits[8] = {static_cast<std::uint8_t>(mask[i / 8] >> (i % 8))};
  return hn::IfThenElseZero(hn::LoadMaskBits(d, bits), hn::Mul(y, hn::Set(d, scale)));
}

void GeluForward(std::size_t rows, std::size_t units, const float* HWY_RESTRICT bias,
                 const std::uint8_t* HWY_RESTRICT mask, float scale, float* HWY_RESTRICT raw,
                 float* HWY_RESTRICT y) {
  const F d;
  const auto one = hn::Set(d, 1.0f), cube = hn::Set(d, kGeluCube), steep = hn::Set(d, kGeluScale);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < units; j += hn::Lanes(d)) {
      const std::size_t i = r * units + j;
      const auto z = hn::Add(hn::Load(d, raw + i), hn::Load(d, bias + j));
      hn::Store(z, d, raw + i);
      const auto inner = hn::Mul(hn::Mul(steep, z), hn::MulAdd(hn::Mul(z, z), cube, one));
      hn::Store(Dropped(mask, i, scale, hn::Mul(z, Logistic(d, inner))), d, y + i);
    }
  }
}

void GeluBackward(std::size_t rows, std::size_t units, const float* HWY_RESTRICT raw,
                  const std::uint8_t* HWY_RESTRICT mask, float scale, const float* HWY_RESTRICT dy,
                  float* HWY_RESTRICT d_raw) {
  const F d;
  const auto one = hn::Set(d, 1.0f), cube = hn::Set(d, kGeluCube), steep = hn::Set(d, kGeluScale);
  for (std::size_t i = 0; i < rows * units; i += hn::Lanes(d)) {
    // With s = σ(u): s + z s (1 − s) u', u' = √(8/π) (1 + 3·0.044715 z²).
    const auto z = hn::Load(d, raw + i);
    const auto square = hn::Mul(hn::Mul(z, z), cube);
    const auto s = Logistic(d, hn::Mul(hn::Mul(steep, z), hn::Add(square, one)));
    const auto slope = hn::Mul(steep, hn::MulAdd(square, hn::Set(d, 3.0f), one));
    const auto inner = hn::Mul(hn::Mul(z, hn::Sub(one, s)), slope);
    const auto g = Dropped(mask, i, scale, hn::Load(d, dy + i));
    hn::Store(hn::Mul(g, hn::Mul(s, hn::Add(one, inner))), d, d_raw + i);
  }
}

void SwigluForward(std::size_t rows, std::size_t units, const float* HWY_RESTRICT bias,
                   const std::uint8_t* HWY_RESTRICT mask, float scale, float* HWY_RESTRICT raw,
                   float* HWY_RESTRICT y) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, raw += 2 * units) {
    for (std::size_t j = 0; j < units; j += hn::Lanes(d)) {
      const auto z = hn::Add(hn::Load(d, raw + j), hn::Load(d, bias + j));
      const auto v = hn::Add(hn::Load(d, raw + units + j), hn::Load(d, bias + units + j));
      hn::Store(z, d, raw + j);
      hn::Store(v, d, raw + units + j);
      const std::size_t i = r * units + j;
      hn::Store(Dropped(mask, i, scale, hn::Mul(hn::Mul(z, Logistic(d, z)), v)), d, y + i);
    }
  }
}

void SwigluBackward(std::size_t rows, std::size_t units, const float* HWY_RESTRICT raw,
                    const std::uint8_t* HWY_RESTRICT mask, float scale,
                    const float* HWY_RESTRICT dy, float* HWY_RESTRICT d_raw) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, raw += 2 * units, d_raw += 2 * units) {
    for (std::size_t j = 0; j < units; j += hn::Lanes(d)) {
      const auto z = hn::Load(d, raw + j), v = hn::Load(d, raw + units + j);
      const auto s = Logistic(d, z);
      const std::size_t i = r * units + j;
      const auto g = Dropped(mask, i, scale, hn::Load(d, dy + i));
      hn::Store(hn::Mul(hn::Mul(g, v), SiluSlope(d, z, s)), d, d_raw + j);
      hn::Store(hn::Mul(g, hn::Mul(z, s)), d, d_raw + units + j);
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(GeluForward);
HWY_EXPORT(GeluBackward);
HWY_EXPORT(SwigluForward);
HWY_EXPORT(SwigluBackward);

void GeluForward(std::size_t rows, std::size_t units, const float* bias, const std::uint8_t* mask,
                 float scale, float* raw, float* y) {
  ForThread(HWY_DISPATCH_TABLE(GeluForward))(rows, units, bias, mask, scale, raw, y);
}
void GeluBackward(std::size_t rows, std::size_t units, const float* raw, const std::uint8_t* mask,
                  float scale, const float* dy, float* d_raw) {
  ForThread(HWY_DISPATCH_TABLE(GeluBackward))(rows, units, raw, mask, scale, dy, d_raw);
}
void SwigluForward(std::size_t rows, std::size_t units, const float* bias, const std::uint8_t* mask,
                   float scale, float* raw, float* y) {
  ForThread(HWY_DISPATCH_TABLE(SwigluForward))(rows, units, bias, mask, scale, raw, y);
}
void SwigluBackward(std::size_t rows, std::size_t units, const float* raw, const std::uint8_t* mask,
                    float scale, const float* dy, float* d_raw) {
  ForThread(HWY_DISPATCH_TABLE(SwigluBackward))(rows, units, raw, mask, scale, dy, d_raw);
}

}  // namespace flare
#endif  // HWY_ONCE
