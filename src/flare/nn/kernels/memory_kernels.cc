#include "flare/nn/kernels/memory_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/memory_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include <algorithm>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/head_sums-inl.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/softplus-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The most values of a head, padded.
constexpr std::size_t kMostValues = 8192;

// The vectors of a head at a position.
struct At {
  At(const MemoryVectors<const float>& in, bool corrects, std::size_t t, std::size_t h)
      : q(in.q.At(t, h)),
        k(in.k.At(t, h)),
        v(in.v.At(t, h)),
        w(in.w.At(t, h)),
        p(corrects ? in.p.At(t, h) : nullptr),
        b(corrects ? in.b.At(t, h) : nullptr) {}

  const float *q, *k, *v, *w, *p, *b;
};

// next = diag(w) S − b eᵀ + k vᵀ, with e already known; next may be S. If kAnswers, o = nextᵀ q.
template <bool kOneDecay, bool kCorrects, bool kAnswers>
HWY_INLINE void StepMemory(const MemoryShape& shape, const At& x, const float* HWY_RESTRICT e,
                           const float* S, float* next, float* HWY_RESTRICT o) {
  const F d;
  const std::size_t keys = shape.keys, size = shape.values;
  const auto one_decay = hn::Set(d, x.w[0]);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto v = hn::Load(d, x.v + i);
    const auto said = kCorrects ? hn::Load(d, e + i) : hn::Zero(d);
    auto sum = hn::Zero(d);
    for (std::size_t j = 0; j < keys; ++j) {
      const std::size_t at = j * size + i;
      auto row = hn::MulAdd(kOneDecay ? one_decay : hn::Set(d, x.w[j]), hn::Load(d, S + at),
                            hn::Mul(hn::Set(d, x.k[j]), v));
      if constexpr (kCorrects) row = hn::NegMulAdd(hn::Set(d, x.b[j]), said, row);
      hn::Store(row, d, next + at);
      if constexpr (kAnswers) sum = hn::MulAdd(hn::Set(d, x.q[j]), row, sum);
    }
    if constexpr (kAnswers) hn::Store(sum, d, o + i);
  }
}

template <bool kOneDecay, bool kCorrects>
void MemoryForwardImpl(const MemoryShape& shape, const MemoryVectors<const float>& in,
                       float* HWY_RESTRICT scratch, const HeadVectors<float>& out) {
  HWY_ALIGN float e[kCorrects ? kMostValues : 8];
  std::fill_n(scratch, shape.forward_scratch(), 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      float* S = scratch + h * shape.memory();
      const At x(in, kCorrects, t, h);
      if constexpr (kCorrects) SumOfRows(shape.keys, shape.values, x.p, S, e);
      if (t < shape.first) {
        StepMemory<kOneDecay, kCorrects, false>(shape, x, e, S, S, nullptr);
      } else {
        StepMemory<kOneDecay, kCorrects, true>(shape, x, e, S, S, out.At(t - shape.first, h));
      }
    }
  }
}

// Numbers of a head at a position, on the way back: S before and after it, the gradient of the
// output, and room for sums over the values of a row, in eight parts for each key.
struct WayBack {
  const float *S, *after, *d_o;
  float *of_q, *of_k, *of_w;
};

// Takes G, the gradient of S, from after a position to before it where nothing corrects what the
// memory says, and adds to the gradients of the position's vectors. One pass through G.
template <bool kOneDecay, bool kAnswers>
HWY_INLINE void StepBack(const MemoryShape& shape, const At& x, const WayBack& at,
                         float* HWY_RESTRICT G, float* HWY_RESTRICT dq, float* HWY_RESTRICT dk,
                         float* HWY_RESTRICT dv, float* HWY_RESTRICT dw) {
  const F d;
  const std::size_t keys = shape.keys, size = shape.values;
  const auto one_decay = hn::Set(d, x.w[0]);
  for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
    auto sum_w = hn::Zero(d);
    for (std::size_t j = 0; j < keys; ++j) {
      const float* HWY_RESTRICT S = at.S + j * size;
      const float* HWY_RESTRICT after = at.after + j * size;
      float* HWY_RESTRICT g_row = G + j * size;
      const auto q = hn::Set(d, x.q[j]), k = hn::Set(d, x.k[j]);
      const auto decay = kOneDecay ? one_decay : hn::Set(d, x.w[j]);
      auto sum_q = hn::Zero(d), sum_k = hn::Zero(d);
      if constexpr (!kOneDecay) sum_w = hn::Zero(d);
      for (std::size_t i = l; i < size; i += 8) {
        auto g = hn::Load(d, g_row + i);
        if constexpr (kAnswers) {
          const auto d_o = hn::Load(d, at.d_o + i);
          sum_q = hn::MulAdd(hn::Load(d, after + i), d_o, sum_q);
          g = hn::MulAdd(q, d_o, g);
        }
        hn::Store(hn::MulAdd(k, g, hn::Load(d, dv + i)), d, dv + i);
        sum_k = hn::MulAdd(g, hn::Load(d, x.v + i), sum_k);
        sum_w = hn::MulAdd(g, hn::Load(d, S + i), sum_w);
        hn::Store(hn::Mul(decay, g), d, g_row + i);
      }
      if constexpr (kAnswers) hn::Store(sum_q, d, at.of_q + j * 8 + l);
      hn::Store(sum_k, d, at.of_k + j * 8 + l);
      if constexpr (!kOneDecay) hn::Store(sum_w, d, at.of_w + j * 8 + l);
    }
    if constexpr (kOneDecay) hn::Store(sum_w, d, at.of_w + l);
  }
  if constexpr (kAnswers) AddRowsOfEight(keys, at.of_q, dq);
  AddRowsOfEight(keys, at.of_k, dk);
  AddRowsOfEight(kOneDecay ? 1 : keys, at.of_w, dw);
}

// The same with p and b. What comes back through e, de = −Σ_j b_j G_j, must be known before G is
// left.
HWY_INLINE void StepBackCorrected(const MemoryShape& shape, const At& x, const WayBack& at,
                                  float* HWY_RESTRICT G, std::size_t t, std::size_t h,
                                  const MemoryVectors<float>& gradient) {
  const F d;
  const std::size_t keys = shape.keys, size = shape.values;
  HWY_ALIGN float e[kMostValues];
  HWY_ALIGN float de[kMostValues];
  const float *HWY_RESTRICT S = at.S, *HWY_RESTRICT after = at.after;
  float* dk = gradient.k.At(t, h);
  float* dw = gradient.w.At(t, h);
  if (at.d_o != nullptr) {
    float* dq = gradient.q.At(t, h);
    for (std::size_t j = 0; j < keys; ++j) {
      dq[j] += SumOfVectors(size, [&](std::size_t i) {
        return hn::Mul(hn::Load(d, after + j * size + i), hn::Load(d, at.d_o + i));
      });
    }
    AddOuterProduct(keys, size, x.q, at.d_o, G);
  }
  float* dv = gradient.v.At(t, h);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    auto sum = hn::Load(d, dv + i), said = hn::Zero(d);
    for (std::size_t j = 0; j < keys; ++j) {
      const auto g = hn::Load(d, G + j * size + i);
      sum = hn::MulAdd(hn::Set(d, x.k[j]), g, sum);
      said = hn::NegMulAdd(hn::Set(d, x.b[j]), g, said);
    }
    hn::Store(sum, d, dv + i);
    hn::Store(said, d, de + i);
  }
  SumOfRows(keys, size, x.p, S, e);
  float* dp = gradient.p.At(t, h);
  float* db = gradient.b.At(t, h);
  for (std::size_t j = 0; j < keys; ++j) {
    const float* s = S + j * size;
    float* g = G + j * size;
    dp[j] += SumOfVectors(
        size, [&](std::size_t i) { return hn::Mul(hn::Load(d, s + i), hn::Load(d, de + i)); });
    db[j] -= SumOfVectors(
        size, [&](std::size_t i) { return hn::Mul(hn::Load(d, g + i), hn::Load(d, e + i)); });
    dk[j] += SumOfVectors(
        size, [&](std::size_t i) { return hn::Mul(hn::Load(d, g + i), hn::Load(d, x.v + i)); });
    dw[j] += SumOfVectors(
        size, [&](std::size_t i) { return hn::Mul(hn::Load(d, g + i), hn::Load(d, s + i)); });
    const auto decay = hn::Set(d, x.w[j]), p = hn::Set(d, x.p[j]);
    for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
      const auto back = hn::Mul(decay, hn::Load(d, g + i));
      hn::Store(hn::MulAdd(p, hn::Load(d, de + i), back), d, g + i);
    }
  }
}

// Handles one head. `scratch` has room for G, for S before every position and after the last, and
// for parts of sums.
template <bool kOneDecay, bool kCorrects>
void MemoryBackwardHead(const MemoryShape& shape, const MemoryVectors<const float>& in,
                        std::size_t h, const HeadVectors<const float>& d_out,
                        float* HWY_RESTRICT scratch, const MemoryVectors<float>& gradient) {
  const std::size_t M = shape.memory(), parts = shape.sum_parts();
  float* G = scratch;
  float* memories = G + M;
  float* sums = memories + (shape.n + 1) * M;
  std::fill_n(sums, 3 * parts, 0.0f);
  HWY_ALIGN float e[kCorrects ? kMostValues : 8];
  std::fill_n(memories, M, 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    const At x(in, kCorrects, t, h);
    const float* S = memories + t * M;
    if constexpr (kCorrects) SumOfRows(shape.keys, shape.values, x.p, S, e);
    StepMemory<kOneDecay, kCorrects, false>(shape, x, e, S, memories + (t + 1) * M, nullptr);
  }
  std::fill_n(G, M, 0.0f);
  for (std::size_t t = shape.n; t-- > 0;) {
    const At x(in, kCorrects, t, h);
    const float* S = memories + t * M;
    const WayBack at = {.S = S,
                        .after = S + M,
                        .d_o = t < shape.first ? nullptr : d_out.At(t - shape.first, h),
                        .of_q = sums,
                        .of_k = sums + parts,
                        .of_w = sums + 2 * parts};
    if constexpr (kCorrects) {
      StepBackCorrected(shape, x, at, G, t, h, gradient);
    } else {
      (t < shape.first ? StepBack<kOneDecay, false>
                       : StepBack<kOneDecay, true>)(shape, x, at, G, gradient.q.At(t, h),
                                                    gradient.k.At(t, h), gradient.v.At(t, h),
                                                    gradient.w.At(t, h));
    }
  }
}

template <bool kOneDecay, bool kCorrects>
void MemoryBackwardImpl(const MemoryShape& shape, const MemoryVectors<const float>& in,
                        const HeadVectors<const float>& d_out, float* scratch,
                        const MemoryVectors<float>& gradient) {
  for (std::size_t h = 0; h < shape.heads; ++h) {
    MemoryBackwardHead<kOneDecay, kCorrects>(shape, in, h, d_out, scratch, gradient);
  }
}

void MemoryForward(const MemoryShape& shape, const MemoryVectors<const float>& in, float* scratch,
                   const HeadVectors<float>& out) {
  if (shape.corrects) return MemoryForwardImpl<false, true>(shape, in, scratch, out);
  if (shape.one_decay) return MemoryForwardImpl<true, false>(shape, in, scratch, out);
  MemoryForwardImpl<false, false>(shape, in, scratch, out);
}

void MemoryBackward(const MemoryShape& shape, const MemoryVectors<const float>& in,
                    const HeadVectors<const float>& d_out, float* scratch,
                    const MemoryVectors<float>& gradient) {
  if (shape.corrects) return MemoryBackwardImpl<false, true>(shape, in, d_out, scratch, gradient);
  if (shape.one_decay) return MemoryBackwardImpl<true, false>(shape, in, d_out, scratch, gradient);
  MemoryBackwardImpl<false, false>(shape, in, d_out, scratch, gradient);
}

void ShiftBackward(std::size_t positions, std::size_t width, const float* HWY_RESTRICT s,
                   const float* HWY_RESTRICT x, const float* HWY_RESTRICT d_mixed,
                   float* HWY_RESTRICT ds, float* HWY_RESTRICT dx) {
  const F d;
  for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
    const auto share = hn::Load(d, s + j), rest = hn::Sub(hn::Set(d, 1.0f), share);
    auto sum = hn::Load(d, ds + j), before = hn::Zero(d), next = hn::Load(d, d_mixed + j);
    for (std::size_t t = 0, at = j; t < positions; ++t, at += width) {
      const auto here = hn::Load(d, x + at), gradient = next;
      next = t + 1 < positions ? hn::Load(d, d_mixed + at + width) : hn::Zero(d);
      sum = hn::MulAdd(gradient, hn::Sub(before, here), sum);
      hn::Store(hn::MulAdd(gradient, rest, hn::MulAdd(next, share, hn::Load(d, dx + at))), d,
                dx + at);
      before = here;
    }
    hn::Store(sum, d, ds + j);
  }
}

// r·(k ⊙ ρ) of the head whose numbers begin at `at`.
HWY_INLINE float BonusShare(const Bonus& b, std::size_t at) {
  const F d;
  return SumOfVectors(b.size, [&](std::size_t i) {
    return hn::Mul(hn::Mul(hn::Load(d, b.r + at + i), hn::Load(d, b.k + at + i)),
                   hn::Load(d, b.rho + at + i));
  });
}

void BonusForward(const Bonus& b, float* HWY_RESTRICT y) {
  const F d;
  for (std::size_t at = 0; at < b.heads * b.size; at += b.size) {
    const auto share = hn::Set(d, BonusShare(b, at));
    for (std::size_t i = at; i < at + b.size; i += hn::Lanes(d)) {
      hn::Store(hn::MulAdd(share, hn::Load(d, b.v + i), hn::Load(d, y + i)), d, y + i);
    }
  }
}

void BonusBackward(const Bonus& b, const float* HWY_RESTRICT dy, float* HWY_RESTRICT dr,
                   float* HWY_RESTRICT dk, float* HWY_RESTRICT dv, float* HWY_RESTRICT d_rho) {
  const F d;
  for (std::size_t at = 0; at < b.heads * b.size; at += b.size) {
    const auto share = hn::Set(d, BonusShare(b, at));
    const auto d_share =
        hn::Set(d, SumOfVectors(b.size, [&](std::size_t i) {
                  return hn::Mul(hn::Load(d, dy + at + i), hn::Load(d, b.v + at + i));
                }));
    for (std::size_t i = at; i < at + b.size; i += hn::Lanes(d)) {
      const auto r = hn::Load(d, b.r + i), k = hn::Load(d, b.k + i);
      const auto back = hn::Mul(d_share, hn::Load(d, b.rho + i));
      hn::Store(hn::MulAdd(share, hn::Load(d, dy + i), hn::Load(d, dv + i)), d, dv + i);
      hn::Store(hn::MulAdd(back, k, hn::Load(d, dr + i)), d, dr + i);
      hn::Store(hn::MulAdd(back, r, hn::Load(d, dk + i)), d, dk + i);
      hn::Store(hn::MulAdd(d_share, hn::Mul(r, k), hn::Load(d, d_rho + i)), d, d_rho + i);
    }
  }
}

void KeysBackward(const Keys& keys, const float* HWY_RESTRICT d_key,
                  const float* HWY_RESTRICT d_scaled, float* HWY_RESTRICT dk,
                  float* HWY_RESTRICT da, float* HWY_RESTRICT d_xi, float* HWY_RESTRICT d_alpha) {
  const F d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t j = 0; j < keys.width; j += hn::Lanes(d)) {
    const auto xi = hn::Load(d, keys.xi + j), alpha = hn::Load(d, keys.alpha + j);
    auto sum_xi = hn::Load(d, d_xi + j), sum_alpha = hn::Load(d, d_alpha + j);
    for (std::size_t r = 0, at = j; r < keys.rows; ++r, at += keys.width) {
      const auto k = hn::Load(d, keys.k + at), less = hn::Sub(hn::Load(d, keys.a + at), one);
      const auto of_key = hn::Load(d, d_key + at), scaled = hn::Load(d, d_scaled + at);
      const auto both = hn::Mul(of_key, k);
      sum_xi = hn::MulAdd(scaled, k, sum_xi);
      sum_alpha = hn::MulAdd(both, less, sum_alpha);
      hn::Store(hn::MulAdd(both, alpha, hn::Load(d, da + at)), d, da + at);
      hn::Store(hn::MulAdd(scaled, xi, hn::Mul(of_key, hn::MulAdd(less, alpha, one))), d, dk + at);
    }
    hn::Store(sum_xi, d, d_xi + j);
    hn::Store(sum_alpha, d, d_alpha + j);
  }
}

void TanhForward(std::size_t count, float* HWY_RESTRICT x) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(HWY_NAMESPACE::Tanh(d, hn::Load(d, x + i)), d, x + i);
  }
}

void RootLogistic(std::size_t rows, std::size_t width, float root, const float* HWY_RESTRICT bias,
                  float* HWY_RESTRICT z, float* HWY_RESTRICT alpha) {
  const F d;
  const auto share = hn::Set(d, 1 / root);
  for (std::size_t r = 0; r < rows; ++r, z += width, alpha += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto x = hn::Add(hn::Load(d, z + j), hn::Load(d, bias + j));
      hn::Store(x, d, z + j);
      // −log σ(x) = log(1 + exp(−x))
      hn::Store(ExpOfMinus(d, hn::Mul(share, Softplus(d, hn::Neg(x)))), d, alpha + j);
    }
  }
}

void RootLogisticBackward(std::size_t count, float root, const float* HWY_RESTRICT z,
                          const float* HWY_RESTRICT alpha, float* HWY_RESTRICT gradient) {
  const F d;
  const auto share = hn::Set(d, 1 / root);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    // dα/dz = α (1 − σ(z))/root
    const auto slope =
        hn::Mul(hn::Mul(share, hn::Load(d, alpha + i)), Logistic(d, hn::Neg(hn::Load(d, z + i))));
    hn::Store(hn::Mul(hn::Load(d, gradient + i), slope), d, gradient + i);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(MemoryForward);
HWY_EXPORT(MemoryBackward);
HWY_EXPORT(ShiftBackward);
HWY_EXPORT(BonusForward);
HWY_EXPORT(BonusBackward);
HWY_EXPORT(KeysBackward);
HWY_EXPORT(TanhForward);
HWY_EXPORT(RootLogistic);
HWY_EXPORT(RootLogisticBackward);

void MemoryForward(const MemoryShape& shape, const MemoryVectors<const float>& in, float* scratch,
                   const HeadVectors<float>& out) {
  ForThread(HWY_DISPATCH_TABLE(MemoryForward))(shape, in, scratch, out);
}
void MemoryBackward(const MemoryShape& shape, const MemoryVectors<const float>& in,
                    const HeadVectors<const float>& d_out, float* scratch,
                    const MemoryVectors<float>& gradient) {
  ForThread(HWY_DISPATCH_TABLE(MemoryBackward))(shape, in, d_out, scratch, gradient);
}
void ShiftBackward(std::size_t positions, std::size_t width, const float* s, const float* x,
                   const float* d_mixed, float* ds, float* dx) {
  ForThread(HWY_DISPATCH_TABLE(ShiftBackward))(positions, width, s, x, d_mixed, ds, dx);
}
void BonusForward(const Bonus& bonus, float* y) {
  ForThread(HWY_DISPATCH_TABLE(BonusForward))(bonus, y);
}
void BonusBackward(const Bonus& bonus, const float* dy, float* dr, float* dk, float* dv,
                   float* d_rho) {
  ForThread(HWY_DISPATCH_TABLE(BonusBackward))(bonus, dy, dr, dk, dv, d_rho);
}
void KeysBackward(const Keys& keys, const float* d_key, const float* d_scaled, float* dk, float* da,
                  float* d_xi, float* d_alpha) {
  ForThread(HWY_DISPATCH_TABLE(KeysBackward))(keys, d_key, d_scaled, dk, da, d_xi, d_alpha);
}
void TanhForward(std::size_t count, float* x) {
  ForThread(HWY_DISPATCH_TABLE(TanhForward))(count, x);
}
void RootLogistic(std::size_t rows, std::size_t width, float root, const float* bias, float* z,
                  float* alpha) {
  ForThread(HWY_DISPATCH_TABLE(RootLogistic))(rows, width, root, bias, z, alpha);
}
void RootLogisticBackward(std::size_t count, float root, const float* z, const float* alpha,
                          float* d) {
  ForThread(HWY_DISPATCH_TABLE(RootLogisticBackward))(count, root, z, alpha, d);
}

}  // namespace flare
#endif  // HWY_ONCE
