#include "flare/nn/kernels/recurrent_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/recurrent_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace flare
#endif  // HWY_ONCE
