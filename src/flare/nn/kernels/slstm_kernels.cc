#include "flare/nn/kernels/slstm_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/slstm_kernels.cc"
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

void SLstmForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                  const SLstmState& before, float* HWY_RESTRICT gates, const SLstmState& after,
                  float* HWY_RESTRICT slope, float* HWY_RESTRICT h) {
  const F d;
  const auto zero = hn::Zero(d);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t u = 0; u < width; u += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* gate = gates + 4 * (r * width + u) + l;
        const std::size_t at = r * width + u + l;
        const auto pre = [&](std::size_t which) {
          return hn::Add(hn::Load(d, gate + 8 * which), hn::Load(d, bias + 4 * u + l + 8 * which));
        };
        const auto n_prev = hn::Load(d, before.n + at);
        const auto i_pre = pre(0), f_minus = hn::Neg(pre(1));
        const auto kept = hn::Sub(hn::Load(d, before.m + at), Softplus(d, f_minus));
        const auto m = hn::IfThenElse(hn::Eq(n_prev, zero), i_pre, hn::Max(kept, i_pre));
        const auto i = ExpOfMinus(d, hn::Sub(m, i_pre));
        // If n was 0, m may be below `kept`.
        const auto f = ExpOfMinus(d, hn::Max(zero, hn::Sub(m, kept)));
        const auto z = flare::HWY_NAMESPACE::Tanh(d, pre(2)), o = Logistic(d, pre(3));
        const auto c = hn::MulAdd(f, hn::Load(d, before.c + at), hn::Mul(i, z));
        const auto n = hn::MulAdd(f, n_prev, i);
        hn::Store(i, d, gate);
        hn::Store(f, d, gate + 8);
        hn::Store(z, d, gate + 16);
        hn::Store(o, d, gate + 24);
        hn::Store(Logistic(d, f_minus), d, slope + at);
        hn::Store(c, d, after.c + at);
        hn::Store(n, d, after.n + at);
        hn::Store(m, d, after.m + at);
        hn::Store(hn::Mul(o, hn::Div(c, n)), d, h + at);
      }
    }
  }
}

void SLstmBackward(std::size_t rows, std::size_t width, const SLstmState& before,
                   const SLstmState& after, const float* HWY_RESTRICT slope,
                   const float* HWY_RESTRICT dh, const SLstmState& d_after,
                   float* HWY_RESTRICT gates, const SLstmState& d_before) {
  const F d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t u = 0; u < width; u += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* gate = gates + 4 * (r * width + u) + l;
        const std::size_t at = r * width + u + l;
        const auto i = hn::Load(d, gate), f = hn::Load(d, gate + 8), z = hn::Load(d, gate + 16),
                   o = hn::Load(d, gate + 24);
        const auto g = hn::Load(d, dh + at);
        const auto share = hn::Div(one, hn::Load(d, after.n + at));
        const auto mean = hn::Mul(hn::Load(d, after.c + at), share);  // c/n
        const auto d_mean = hn::Mul(hn::Mul(g, o), share);
        const auto d_c = hn::Add(d_mean, hn::Load(d, d_after.c + at));
        const auto d_n = hn::NegMulAdd(d_mean, mean, hn::Load(d, d_after.n + at));
        const auto d_i = hn::Mul(i, hn::MulAdd(d_c, z, d_n));
        const auto d_kept =
            hn::MulAdd(d_c, hn::Load(d, before.c + at), hn::Mul(d_n, hn::Load(d, before.n + at)));
        const auto d_f = hn::Mul(hn::Mul(f, d_kept), hn::Load(d, slope + at));
        const auto d_z = hn::Mul(hn::Mul(d_c, i), hn::NegMulAdd(z, z, one));
        const auto d_o = hn::Mul(hn::Mul(g, mean), hn::Mul(o, hn::Sub(one, o)));
        hn::Store(d_i, d, gate);
        hn::Store(d_f, d, gate + 8);
        hn::Store(d_z, d, gate + 16);
        hn::Store(d_o, d, gate + 24);
        hn::Store(hn::Mul(f, d_c), d, d_before.c + at);
        hn::Store(hn::Mul(f, d_n), d, d_before.n + at);
      }
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(SLstmForward);
HWY_EXPORT(SLstmBackward);

void SLstmForward(std::size_t rows, std::size_t width, const float* bias, const SLstmState& before,
                  float* gates, const SLstmState& after, float* slope, float* h) {
  ForThread(HWY_DISPATCH_TABLE(SLstmForward))(rows, width, bias, before, gates, after, slope, h);
}
void SLstmBackward(std::size_t rows, std::size_t width, const SLstmState& before,
                   const SLstmState& after, const float* slope, const float* dh,
                   const SLstmState& d_after, float* gates, const SLstmState& d_before) {
  ForThread(HWY_DISPATCH_TABLE(SLstmBackward))(rows, width, before, after, slope, dh, d_after,
                                               gates, d_before);
}

}  // namespace flare
#endif  // HWY_ONCE
