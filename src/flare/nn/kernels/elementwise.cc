#include "flare/nn/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/elementwise.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most eight lanes, on wider machines too: widths are multiples of eight, and so results do not
// depend on how much wider the machine is.
using F = hn::CappedTag<float, 8>;
using U = hn::CappedTag<std::uint32_t, 8>;

void TanhForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                 const float* x, float* h) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, x += width, h += width) {
    for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
      hn::Store(Tanh(d, hn::Add(hn::Load(d, x + i), hn::Load(d, bias + i))), d, h + i);
    }
  }
}

void TanhBackward(std::size_t count, const float* HWY_RESTRICT h, const float* dh, float* dx) {
  const F d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto y = hn::Load(d, h + i);
    hn::Store(hn::Mul(hn::Load(d, dh + i), hn::NegMulAdd(y, y, one)), d, dx + i);
  }
}

void LstmForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                 const float* HWY_RESTRICT c_prev, float* HWY_RESTRICT gates, float* HWY_RESTRICT c,
                 float* HWY_RESTRICT h) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t u = 0; u < width; u += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* gate = gates + 4 * u + l;
        const float* b = bias + 4 * u + l;
        const auto pre = [&](std::size_t which) {
          return hn::Add(hn::Load(d, gate + 8 * which), hn::Load(d, b + 8 * which));
        };
        const auto i = Logistic(d, pre(0));
        const auto f = Logistic(d, pre(1));
        const auto g = Tanh(d, pre(2));
        const auto o = Logistic(d, pre(3));
        hn::Store(i, d, gate);
        hn::Store(f, d, gate + 8);
        hn::Store(g, d, gate + 16);
        hn::Store(o, d, gate + 24);
        const auto cell = hn::MulAdd(f, hn::Load(d, c_prev + u + l), hn::Mul(i, g));
        hn::Store(cell, d, c + u + l);
        hn::Store(hn::Mul(o, Tanh(d, cell)), d, h + u + l);
      }
    }
    gates += 4 * width;
    c += width;
    h += width;
    c_prev += width;
  }
}

void LstmBackward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT c,
                  const float* HWY_RESTRICT c_prev, const float* HWY_RESTRICT dh, const float* dc,
                  float* HWY_RESTRICT gates, float* dc_prev) {
  const F d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t u = 0; u < width; u += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* gate = gates + 4 * u + l;
        const auto i = hn::Load(d, gate), f = hn::Load(d, gate + 8), g = hn::Load(d, gate + 16),
                   o = hn::Load(d, gate + 24);
        const auto tanh_c = Tanh(d, hn::Load(d, c + u + l));
        const auto d_h = hn::Load(d, dh + u + l);
        // dc ← dc + dh ⊙ o ⊙ (1 − tanh² c)
        const auto d_c = hn::MulAdd(hn::Mul(d_h, o), hn::NegMulAdd(tanh_c, tanh_c, one),
                                    hn::Load(d, dc + u + l));
        const auto before = hn::Load(d, c_prev + u + l);
        // σ' = σ (1 − σ), tanh' = 1 − tanh²
        const auto d_i = hn::Mul(hn::Mul(d_c, g), hn::Mul(i, hn::Sub(one, i)));
        const auto d_f = hn::Mul(hn::Mul(d_c, before), hn::Mul(f, hn::Sub(one, f)));
        const auto d_g = hn::Mul(hn::Mul(d_c, i), hn::NegMulAdd(g, g, one));
        const auto d_o = hn::Mul(hn::Mul(d_h, tanh_c), hn::Mul(o, hn::Sub(one, o)));
        hn::Store(d_i, d, gate);
        hn::Store(d_f, d, gate + 8);
        hn::Store(d_g, d, gate + 16);
        hn::Store(d_o, d, gate + 24);
        hn::Store(hn::Mul(d_c, f), d, dc_prev + u + l);
      }
    }
    gates += 4 * width;
    c += width;
    dh += width;
    dc += width;
    c_prev += width;
    dc_prev += width;
  }
}

void GruForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                const float* HWY_RESTRICT from_state, const float* HWY_RESTRICT h_prev,
                float* HWY_RESTRICT pre, float* HWY_RESTRICT candidate, float* HWY_RESTRICT h) {
  const F d;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t u = 0; u < width; u += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* x = pre + 3 * u + l;
        const float* s = from_state + 3 * u + l;
        const float* b = bias + 3 * u + l;
        const auto input = [&](std::size_t which) {
          return hn::Add(hn::Load(d, x + 8 * which), hn::Load(d, b + 8 * which));
        };
        const auto r = Logistic(d, hn::Add(input(0), hn::Load(d, s)));
        const auto z = Logistic(d, hn::Add(input(1), hn::Load(d, s + 8)));
        const auto c = hn::Load(d, s + 16);
        const auto n = Tanh(d, hn::MulAdd(r, c, input(2)));
        hn::Store(r, d, x);
        hn::Store(z, d, x + 8);
        hn::Store(n, d, x + 16);
        hn::Store(c, d, candidate + u + l);
        // n + z (h_prev − n)
        hn::Store(hn::MulAdd(z, hn::Sub(hn::Load(d, h_prev + u + l), n), n), d, h + u + l);
      }
    }
    pre += 3 * width;
    from_state += 3 * width;
    h_prev += width;
    candidate += width;
    h += width;
  }
}

void GruBackward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT h_prev,
                 const float* HWY_RESTRICT candidate, const float* HWY_RESTRICT dh,
                 float* HWY_RESTRICT pre, float* HWY_RESTRICT d_from_state,
                 float* HWY_RESTRICT dh_prev) {
  const F d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t u = 0; u < width; u += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* x = pre + 3 * u + l;
        float* s = d_from_state + 3 * u + l;
        const auto r = hn::Load(d, x), z = hn::Load(d, x + 8), n = hn::Load(d, x + 16);
        const auto c = hn::Load(d, candidate + u + l);
        const auto d_h = hn::Load(d, dh + u + l);
        const auto d_n = hn::Mul(hn::Mul(d_h, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
        const auto d_z = hn::Mul(hn::Mul(d_h, hn::Sub(hn::Load(d, h_prev + u + l), n)),
                                 hn::Mul(z, hn::Sub(one, z)));
        const auto d_r = hn::Mul(hn::Mul(d_n, c), hn::Mul(r, hn::Sub(one, r)));
        hn::Store(d_r, d, x);
        hn::Store(d_z, d, x + 8);
        hn::Store(d_n, d, x + 16);
        hn::Store(d_r, d, s);
        hn::Store(d_z, d, s + 8);
        hn::Store(hn::Mul(d_n, r), d, s + 16);
        float* before = dh_prev + u + l;
        hn::Store(hn::MulAdd(d_h, z, hn::Load(d, before)), d, before);
      }
    }
    pre += 3 * width;
    d_from_state += 3 * width;
    h_prev += width;
    candidate += width;
    dh += width;
    dh_prev += width;
  }
}

void AddColumnSums(std::size_t rows, std::size_t width, const float* HWY_RESTRICT x,
                   float* HWY_RESTRICT sum) {
  const F d;
  for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
    auto total = hn::Zero(d);
    for (std::size_t r = 0; r < rows; ++r) total = hn::Add(total, hn::Load(d, x + r * width + i));
    hn::Store(hn::Add(hn::Load(d, sum + i), total), d, sum + i);
  }
}

void ApplyDropout(std::size_t count, const std::uint8_t* HWY_RESTRICT mask, float scale,
                  const float* x, float* y) {
  const F d;
  const auto factor = hn::Set(d, scale);
  for (std::size_t i = 0; i < count; i += 8) {
    for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
      const std::uint8_t bits[8] = {static_cast<std::uint8_t>(mask[i / 8] >> l)};
      const auto keep = hn::LoadMaskBits(d, bits);
      hn::Store(hn::IfThenElseZero(keep, hn::Mul(factor, hn::Load(d, x + i + l))), d, y + i + l);
    }
  }
}

// High and low halves of the 64-bit products of two vectors of 32-bit numbers.
template <class V>
HWY_INLINE void MultiplyWide(U d, V a, V b, V& high, V& low) {
#if HWY_TARGET == HWY_SCALAR
  const std::uint64_t product = std::uint64_t{hn::GetLane(a)} * hn::GetLane(b);
  high = hn::Set(d, static_cast<std::uint32_t>(product >> 32));
  low = hn::Set(d, static_cast<std::uint32_t>(product));
#else
  const hn::RepartitionToWide<U> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  const auto lower = hn::Set(wide, 0xFFFFFFFFu);
  low = hn::BitCast(d, hn::Or(hn::ShiftLeft<32>(odd), hn::And(even, lower)));
  high = hn::BitCast(d, hn::Or(hn::ShiftRight<32>(even), hn::AndNot(lower, odd)));
#endif
}

// A lane is a row: eight rows at once, one byte (eight units) of each. Two such sets go side by
// side, because the rounds of one are a chain of multiplications that would leave the core waiting.
void DropoutBits(std::size_t rows, std::size_t width, const std::uint32_t* HWY_RESTRICT position,
                 const std::uint32_t* HWY_RESTRICT string, std::uint32_t site, DropoutKey key,
                 std::uint32_t threshold, std::uint8_t* HWY_RESTRICT bits) {
  const U d;
  using V = hn::Vec<U>;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t bytes = width / 8;
  const V limit = hn::Set(d, threshold), low_half = hn::Set(d, 0xFFFFu);
  const V factor0 = hn::Set(d, 0xD2511F53u), factor1 = hn::Set(d, 0xCD9E8D57u);
  const auto byte_of = [&](V c0, V c1, V c2, V c3) {
    V byte = hn::Zero(d);
    std::uint32_t bit = 1;
    for (const V& word : {c0, c1, c2, c3}) {
      for (const V& half : {hn::And(word, low_half), hn::ShiftRight<16>(word)}) {
        byte = hn::Or(byte, hn::IfThenZeroElse(hn::Lt(half, limit), hn::Set(d, bit)));
        bit <<= 1;
      }
    }
    return byte;
  };
  HWY_ALIGN std::uint32_t out[16], where[16], which[16];
  for (std::size_t r = 0; r < rows; r += 2 * lanes) {
    const std::size_t here = rows - r < 2 * lanes ? rows - r : 2 * lanes;
    for (std::size_t l = 0; l < 2 * lanes; ++l) {
      where[l] = position[r + (l < here ? l : 0)];
      which[l] = string[r + (l < here ? l : 0)];
    }
    for (std::size_t b = 0; b < bytes; ++b) {
      V a0 = hn::Set(d, static_cast<std::uint32_t>(b)), b0 = a0;
      V a1 = hn::Load(d, where), b1 = hn::Load(d, where + lanes);
      V a2 = hn::Load(d, which), b2 = hn::Load(d, which + lanes);
      V a3 = hn::Set(d, site), b3 = a3;
      std::uint32_t k0 = key.key[0], k1 = key.key[1];
      for (int round = 0; round < 10; ++round) {
        const V key0 = hn::Set(d, k0), key1 = hn::Set(d, k1);
        V high0, low0, high1, low1;
        MultiplyWide(d, a0, factor0, high0, low0);
        MultiplyWide(d, a2, factor1, high1, low1);
        a0 = hn::Xor(hn::Xor(high1, a1), key0);
        a1 = low1;
        a2 = hn::Xor(hn::Xor(high0, a3), key1);
        a3 = low0;
        MultiplyWide(d, b0, factor0, high0, low0);
        MultiplyWide(d, b2, factor1, high1, low1);
        b0 = hn::Xor(hn::Xor(high1, b1), key0);
        b1 = low1;
        b2 = hn::Xor(hn::Xor(high0, b3), key1);
        b3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
      }
      hn::Store(byte_of(a0, a1, a2, a3), d, out);
      hn::Store(byte_of(b0, b1, b2, b3), d, out + lanes);
      for (std::size_t l = 0; l < here; ++l) {
        bits[(r + l) * bytes + b] = static_cast<std::uint8_t>(out[l]);
      }
    }
  }
}

double SumOfSquares(std::size_t count, const float* HWY_RESTRICT x) {
  // Eight float sums over short runs, added up in double.
  const F d;
  constexpr std::size_t kRun = 512;
  double total = 0;
  HWY_ALIGN float lanes[8];
  for (std::size_t begin = 0; begin < count; begin += kRun) {
    const std::size_t end = begin + kRun < count ? begin + kRun : count;
    for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      for (std::size_t i = begin + l; i < end; i += 8) {
        const auto value = hn::Load(d, x + i);
        sum = hn::MulAdd(value, value, sum);
      }
      hn::Store(sum, d, lanes + l);
    }
    for (const float lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

void AdamStep(std::size_t count, float gradient_scale, float step_size, float beta1, float beta2,
              float epsilon, const float* HWY_RESTRICT g, float* HWY_RESTRICT m,
              float* HWY_RESTRICT v, float* HWY_RESTRICT x) {
  const F d;
  const auto scale = hn::Set(d, gradient_scale), step = hn::Set(d, step_size),
             b1 = hn::Set(d, beta1), b2 = hn::Set(d, beta2), c1 = hn::Set(d, 1 - beta1),
             c2 = hn::Set(d, 1 - beta2), eps = hn::Set(d, epsilon);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto gradient = hn::Mul(scale, hn::Load(d, g + i));
    const auto first = hn::MulAdd(b1, hn::Load(d, m + i), hn::Mul(c1, gradient));
    const auto second =
        hn::MulAdd(b2, hn::Load(d, v + i), hn::Mul(c2, hn::Mul(gradient, gradient)));
    hn::Store(first, d, m + i);
    hn::Store(second, d, v + i);
    const auto change = hn::Div(hn::Mul(step, first), hn::Add(hn::Sqrt(second), eps));
    hn::Store(hn::Sub(hn::Load(d, x + i), change), d, x + i);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(TanhForward);
HWY_EXPORT(TanhBackward);
HWY_EXPORT(LstmForward);
HWY_EXPORT(LstmBackward);
HWY_EXPORT(GruForward);
HWY_EXPORT(GruBackward);
HWY_EXPORT(AddColumnSums);
HWY_EXPORT(ApplyDropout);
HWY_EXPORT(DropoutBits);
HWY_EXPORT(SumOfSquares);
HWY_EXPORT(AdamStep);

void TanhForward(std::size_t rows, std::size_t width, const float* bias, const float* x, float* h) {
  ForThread(HWY_DISPATCH_TABLE(TanhForward))(rows, width, bias, x, h);
}
void TanhBackward(std::size_t count, const float* h, const float* dh, float* dx) {
  ForThread(HWY_DISPATCH_TABLE(TanhBackward))(count, h, dh, dx);
}
void LstmForward(std::size_t rows, std::size_t width, const float* bias, const float* c_prev,
                 float* gates, float* c, float* h) {
  ForThread(HWY_DISPATCH_TABLE(LstmForward))(rows, width, bias, c_prev, gates, c, h);
}
void LstmBackward(std::size_t rows, std::size_t width, const float* c, const float* c_prev,
                  const float* dh, const float* dc, float* gates, float* dc_prev) {
  ForThread(HWY_DISPATCH_TABLE(LstmBackward))(rows, width, c, c_prev, dh, dc, gates, dc_prev);
}
void GruForward(std::size_t rows, std::size_t width, const float* bias, const float* from_state,
                const float* h_prev, float* pre, float* candidate, float* h) {
  ForThread(HWY_DISPATCH_TABLE(GruForward))(rows, width, bias, from_state, h_prev, pre, candidate,
                                            h);
}
void GruBackward(std::size_t rows, std::size_t width, const float* h_prev, const float* candidate,
                 const float* dh, float* pre, float* d_from_state, float* dh_prev) {
  ForThread(HWY_DISPATCH_TABLE(GruBackward))(rows, width, h_prev, candidate, dh, pre, d_from_state,
                                             dh_prev);
}
void AddColumnSums(std::size_t rows, std::size_t width, const float* d, float* sum) {
  ForThread(HWY_DISPATCH_TABLE(AddColumnSums))(rows, width, d, sum);
}
void ApplyDropout(std::size_t count, const std::uint8_t* mask, float scale, const float* x,
                  float* y) {
  ForThread(HWY_DISPATCH_TABLE(ApplyDropout))(count, mask, scale, x, y);
}
void DropoutBits(std::size_t rows, std::size_t width, const std::uint32_t* position,
                 const std::uint32_t* string, std::uint32_t site, DropoutKey key,
                 std::uint32_t threshold, std::uint8_t* bits) {
  ForThread(HWY_DISPATCH_TABLE(DropoutBits))(rows, width, position, string, site, key, threshold,
                                             bits);
}
double SumOfSquares(std::size_t count, const float* x) {
  return ForThread(HWY_DISPATCH_TABLE(SumOfSquares))(count, x);
}
void AdamStep(std::size_t count, float gradient_scale, float step_size, float beta1, float beta2,
              float epsilon, const float* g, float* m, float* v, float* x) {
  ForThread(HWY_DISPATCH_TABLE(AdamStep))(count, gradient_scale, step_size, beta1, beta2, epsilon,
                                          g, m, v, x);
}

}  // namespace flare
#endif  // HWY_ONCE
