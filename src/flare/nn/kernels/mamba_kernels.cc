#include "flare/nn/kernels/mamba_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/mamba_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/softplus-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ExpForward(std::size_t count, const float* HWY_RESTRICT x, float* HWY_RESTRICT y) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Exp(d, hn::Load(d, x + i)), d, y + i);
  }
}

void AddProducts(std::size_t count, const float* HWY_RESTRICT x, const float* HWY_RESTRICT y,
                 float* HWY_RESTRICT sum) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::MulAdd(hn::Load(d, x + i), hn::Load(d, y + i), hn::Load(d, sum + i)), d, sum + i);
  }
}

void BiasSoftplus(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                  float* HWY_RESTRICT x, float* HWY_RESTRICT y) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, x += width, y += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto value = hn::Add(hn::Load(d, x + j), hn::Load(d, bias + j));
      hn::Store(value, d, x + j);
      hn::Store(Softplus(d, value), d, y + j);
    }
  }
}

void SoftplusBackward(std::size_t count, const float* HWY_RESTRICT x,
                      float* HWY_RESTRICT gradient) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto slope = Logistic(d, hn::Load(d, x + i));
    hn::Store(hn::Mul(hn::Load(d, gradient + i), slope), d, gradient + i);
  }
}

void SiluGateForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT y,
                     const float* HWY_RESTRICT z, std::size_t z_stride, float* HWY_RESTRICT out) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, y += width, z += z_stride, out += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto gate = hn::Load(d, z + j);
      const auto silu = hn::Mul(gate, Logistic(d, gate));
      hn::Store(hn::Mul(hn::Load(d, y + j), silu), d, out + j);
    }
  }
}

void SiluGateBackward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT y,
                      const float* HWY_RESTRICT z, std::size_t z_stride,
                      const float* HWY_RESTRICT d_out, float* HWY_RESTRICT dy,
                      float* HWY_RESTRICT dz) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto gate = hn::Load(d, z + j), s = Logistic(d, gate);
      const auto g = hn::Load(d, d_out + j);
      hn::Store(hn::Mul(hn::Mul(g, hn::Load(d, y + j)), SiluSlope(d, gate, s)), d, dz + j);
      hn::Store(hn::Mul(g, hn::Mul(gate, s)), d, dy + j);
    }
    y += width;
    d_out += width;
    dy += width;
    z += z_stride;
    dz += z_stride;
  }
}

// exp(ΔA) to the decay ā.
template <bool kSigned, class V>
HWY_INLINE V Decay(V e) {
  const F d;
  return kSigned ? hn::Sub(hn::Add(e, e), hn::Set(d, 1.0f)) : e;
}

template <bool kSigned>
void ScanForwardImpl(const ScanShape& shape, const ScanInput& in, float* HWY_RESTRICT y) {
  const F d;
  const std::size_t E = shape.channels, N = shape.states, row = shape.row_of_bc();
  HWY_ALIGN float states[kMostStates * 8];
  for (std::size_t c = 0; c < E; c += hn::Lanes(d)) {
    std::fill_n(states, N * 8, 0.0f);
    const auto skip = hn::Load(d, in.skip + c);
    for (std::size_t t = 0; t < shape.n; ++t) {
      const auto u = hn::Load(d, in.u + t * E + c), delta = hn::Load(d, in.delta + t * E + c);
      const auto written = hn::Mul(u, delta);
      const float* B = in.bc + t * row;
      const float* C = B + row / 2;
      auto sum = hn::Mul(skip, u);
      for (std::size_t n = 0; n < N; ++n) {
        const auto e = ExpOfMinus(d, hn::Mul(delta, hn::Load(d, in.rate + n * E + c)));
        const auto h = hn::MulAdd(Decay<kSigned>(e), hn::Load(d, states + n * 8),
                                  hn::Mul(written, hn::Set(d, B[n])));
        hn::Store(h, d, states + n * 8);
        sum = hn::MulAdd(h, hn::Set(d, C[n]), sum);
      }
      if (t >= shape.first) hn::Store(sum, d, y + (t - shape.first) * E + c);
    }
  }
}

void ScanForward(const ScanShape& shape, const ScanInput& in, float* y) {
  if (shape.is_signed) {
    ScanForwardImpl<true>(shape, in, y);
  } else {
    ScanForwardImpl<false>(shape, in, y);
  }
}

// For one vector of channels from c on; sums over channels go into vectors, added up at the end.
template <bool kSigned>
void ScanBackwardChannels(const ScanShape& shape, const ScanInput& in, std::size_t c,
                          const float* HWY_RESTRICT dy, float* HWY_RESTRICT all_h,
                          float* HWY_RESTRICT all_e, float* HWY_RESTRICT sum_b,
                          float* HWY_RESTRICT sum_c, const ScanGradient& gradient) {
  const F d;
  const std::size_t E = shape.channels, N = shape.states, row = shape.row_of_bc();
  const std::size_t step = N * 8;  // between positions, in the arrays of (n, N, 8)
  HWY_ALIGN float dh[kMostStates * 8];
  HWY_ALIGN float d_rate[kMostStates * 8];
  std::fill_n(dh, step, 0.0f);
  std::fill_n(d_rate, step, 0.0f);

  for (std::size_t t = 0; t < shape.n; ++t) {
    const auto u = hn::Load(d, in.u + t * E + c), delta = hn::Load(d, in.delta + t * E + c);
    const auto written = hn::Mul(u, delta);
    const float* B = in.bc + t * row;
    for (std::size_t n = 0; n < N; ++n) {
      const auto e = ExpOfMinus(d, hn::Mul(delta, hn::Load(d, in.rate + n * E + c)));
      const auto before = t == 0 ? hn::Zero(d) : hn::Load(d, all_h + (t - 1) * step + n * 8);
      hn::Store(e, d, all_e + t * step + n * 8);
      hn::Store(hn::MulAdd(Decay<kSigned>(e), before, hn::Mul(written, hn::Set(d, B[n]))), d,
                all_h + t * step + n * 8);
    }
  }
  const auto skip = hn::Load(d, in.skip + c);
  const auto slope = hn::Set(d, kSigned ? 2.0f : 1.0f);  // of the decay, in exp(ΔA)
  auto d_skip = hn::Load(d, gradient.skip + c);
  for (std::size_t t = shape.n; t-- > 0;) {
    const auto u = hn::Load(d, in.u + t * E + c), delta = hn::Load(d, in.delta + t * E + c);
    const auto written = hn::Mul(u, delta);
    const float* B = in.bc + t * row;
    const float* C = B + row / 2;
    const auto d_y = t < shape.first ? hn::Zero(d) : hn::Load(d, dy + (t - shape.first) * E + c);
    auto d_written = hn::Zero(d), d_delta = hn::Zero(d);
    for (std::size_t n = 0; n < N; ++n) {
      const std::size_t at = t * step + n * 8;
      const auto e = hn::Load(d, all_e + at), rate = hn::Load(d, in.rate + n * E + c);
      const auto g = hn::MulAdd(d_y, hn::Set(d, C[n]), hn::Load(d, dh + n * 8));
      hn::Store(hn::MulAdd(d_y, hn::Load(d, all_h + at), hn::Load(d, sum_c + at)), d, sum_c + at);
      hn::Store(hn::MulAdd(g, written, hn::Load(d, sum_b + at)), d, sum_b + at);
      d_written = hn::MulAdd(g, hn::Set(d, B[n]), d_written);
      const auto before = t == 0 ? hn::Zero(d) : hn::Load(d, all_h + at - step);
      // That of Δ·rate is −this.
      const auto d_exponent = hn::Mul(hn::Mul(g, before), hn::Mul(e, slope));
      d_delta = hn::NegMulAdd(d_exponent, rate, d_delta);
      hn::Store(hn::NegMulAdd(d_exponent, delta, hn::Load(d, d_rate + n * 8)), d, d_rate + n * 8);
      hn::Store(hn::Mul(g, Decay<kSigned>(e)), d, dh + n * 8);
    }
    d_skip = hn::MulAdd(d_y, u, d_skip);
    hn::Store(hn::MulAdd(d_written, delta, hn::Mul(d_y, skip)), d, gradient.u + t * E + c);
    hn::Store(hn::MulAdd(d_written, u, d_delta), d, gradient.delta + t * E + c);
  }
  hn::Store(d_skip, d, gradient.skip + c);
  for (std::size_t n = 0; n < N; ++n) {
    float* total = gradient.rate + n * E + c;
    hn::Store(hn::Add(hn::Load(d, total), hn::Load(d, d_rate + n * 8)), d, total);
  }
}

void ScanBackward(const ScanShape& shape, const ScanInput& in, const float* dy, float* scratch,
                  const ScanGradient& gradient) {
  const F d;
  const std::size_t size = shape.n * shape.states * 8, row = shape.row_of_bc();
  float* all_h = scratch;
  float* all_e = scratch + size;
  float* sum_b = scratch + 2 * size;
  float* sum_c = scratch + 3 * size;
  std::fill_n(sum_b, 2 * size, 0.0f);
  for (std::size_t c = 0; c < shape.channels; c += hn::Lanes(d)) {
    // Vectors that are shorter than eight floats share a place, one half after the other.
    const std::size_t half = c % 8;
    if (shape.is_signed) {
      ScanBackwardChannels<true>(shape, in, c, dy, all_h, all_e, sum_b + half, sum_c + half,
                                 gradient);
    } else {
      ScanBackwardChannels<false>(shape, in, c, dy, all_h, all_e, sum_b + half, sum_c + half,
                                  gradient);
    }
  }
  std::fill_n(gradient.bc, shape.n * row, 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    float* d_b = gradient.bc + t * row;
    for (std::size_t n = 0; n < shape.states; ++n) {
      const std::size_t at = (t * shape.states + n) * 8;
      d_b[n] = SumEight(sum_b + at);
      d_b[row / 2 + n] = SumEight(sum_c + at);
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(ExpForward);
HWY_EXPORT(AddProducts);
HWY_EXPORT(BiasSoftplus);
HWY_EXPORT(SoftplusBackward);
HWY_EXPORT(SiluGateForward);
HWY_EXPORT(SiluGateBackward);
HWY_EXPORT(ScanForward);
HWY_EXPORT(ScanBackward);

void ExpForward(std::size_t count, const float* x, float* y) {
  ForThread(HWY_DISPATCH_TABLE(ExpForward))(count, x, y);
}
void AddProducts(std::size_t count, const float* x, const float* y, float* sum) {
  ForThread(HWY_DISPATCH_TABLE(AddProducts))(count, x, y, sum);
}
void BiasSoftplus(std::size_t rows, std::size_t width, const float* bias, float* x, float* y) {
  ForThread(HWY_DISPATCH_TABLE(BiasSoftplus))(rows, width, bias, x, y);
}
void SoftplusBackward(std::size_t count, const float* x, float* d) {
  ForThread(HWY_DISPATCH_TABLE(SoftplusBackward))(count, x, d);
}
void SiluGateForward(std::size_t rows, std::size_t width, const float* y, const float* z,
                     std::size_t z_stride, float* out) {
  ForThread(HWY_DISPATCH_TABLE(SiluGateForward))(rows, width, y, z, z_stride, out);
}
void SiluGateBackward(std::size_t rows, std::size_t width, const float* y, const float* z,
                      std::size_t z_stride, const float* d_out, float* dy, float* dz) {
  ForThread(HWY_DISPATCH_TABLE(SiluGateBackward))(rows, width, y, z, z_stride, d_out, dy, dz);
}
void ScanForward(const ScanShape& shape, const ScanInput& in, float* y) {
  ForThread(HWY_DISPATCH_TABLE(ScanForward))(shape, in, y);
}
void ScanBackward(const ScanShape& shape, const ScanInput& in, const float* dy, float* scratch,
                  const ScanGradient& gradient) {
  ForThread(HWY_DISPATCH_TABLE(ScanBackward))(shape, in, dy, scratch, gradient);
}

}  // namespace flare
#endif  // HWY_ONCE
