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

// next = diag(w) S − b eᵀ + k vᵀ, with e already known; next may be S.
template <bool kOneDecay, bool kCorrects>
HWY_INLINE void StepMemory(const MemoryShape& shape, const At& x, const float* HWY_RESTRICT e,
                           const float* S, float* next) {
  const F d;
  const std::size_t keys = shape.keys, size = shape.values;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto v = hn::Load(d, x.v + i);
    const auto said = kCorrects ? hn::Load(d, e + i) : hn::Zero(d);
    for (std::size_t j = 0; j < keys; ++j) {
      const std::size_t at = j * size + i;
      auto row = hn::MulAdd(hn::Set(d, x.w[kOneDecay ? 0 : j]), hn::Load(d, S + at),
                            hn::Mul(hn::Set(d, x.k[j]), v));
      if constexpr (kCorrects) row = hn::NegMulAdd(hn::Set(d, x.b[j]), said, row);
      hn::Store(row, d, next + at);
    }
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
      StepMemory<kOneDecay, kCorrects>(shape, x, e, S, S);
      if (t >= shape.first) {
        SumOfRows(shape.keys, shape.values, x.q, S, out.At(t - shape.first, h));
      }
    }
  }
}

// Handles one head. `memories` gets S before every position and after the last; G is the gradient
// of S.
template <bool kOneDecay, bool kCorrects>
void MemoryBackwardHead(const MemoryShape& shape, const MemoryVectors<const float>& in,
                        std::size_t h, const HeadVectors<const float>& d_out,
                        float* HWY_RESTRICT memories, float* HWY_RESTRICT G,
                        const MemoryVectors<float>& gradient) {
  const F d;
  const std::size_t keys = shape.keys, size = shape.values, M = shape.memory();
  HWY_ALIGN float e[kCorrects ? kMostValues : 8];
  HWY_ALIGN float de[kCorrects ? kMostValues : 8];
  std::fill_n(memories, M, 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    const At x(in, kCorrects, t, h);
    const float* S = memories + t * M;
    if constexpr (kCorrects) SumOfRows(keys, size, x.p, S, e);
    StepMemory<kOneDecay, kCorrects>(shape, x, e, S, memories + (t + 1) * M);
  }
  std::fill_n(G, M, 0.0f);
  for (std::size_t t = shape.n; t-- > 0;) {
    const At x(in, kCorrects, t, h);
    const float* S = memories + t * M;
    const float* after = S + M;
    float* dk = gradient.k.At(t, h);
    float* dw = gradient.w.At(t, h);
    if (t >= shape.first) {
      const float* d_o = d_out.At(t - shape.first, h);
      float* dq = gradient.q.At(t, h);
      for (std::size_t j = 0; j < keys; ++j) {
        dq[j] += SumOfVectors(size, [&](std::size_t i) {
          return hn::Mul(hn::Load(d, after + j * size + i), hn::Load(d, d_o + i));
        });
      }
      AddOuterProduct(keys, size, x.q, d_o, G);
    }
    // dv = Σ_j k_j G_j and, with de = −Σ_j b_j G_j, what comes back through e.
    float* dv = gradient.v.At(t, h);
    for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
      auto sum = hn::Load(d, dv + i), said = hn::Zero(d);
      for (std::size_t j = 0; j < keys; ++j) {
        const auto g = hn::Load(d, G + j * size + i);
        sum = hn::MulAdd(hn::Set(d, x.k[j]), g, sum);
        if constexpr (kCorrects) said = hn::NegMulAdd(hn::Set(d, x.b[j]), g, said);
      }
      hn::Store(sum, d, dv + i);
      if constexpr (kCorrects) hn::Store(said, d, de + i);
    }
    if constexpr (kCorrects) {
      SumOfRows(keys, size, x.p, S, e);
      float* dp = gradient.p.At(t, h);
      float* db = gradient.b.At(t, h);
      for (std::size_t j = 0; j < keys; ++j) {
        dp[j] += SumOfVectors(size, [&](std::size_t i) {
          return hn::Mul(hn::Load(d, S + j * size + i), hn::Load(d, de + i));
        });
        db[j] -= SumOfVectors(size, [&](std::size_t i) {
          return hn::Mul(hn::Load(d, G + j * size + i), hn::Load(d, e + i));
        });
      }
    }
    if constexpr (kOneDecay) {
      dw[0] += SumOfVectors(
          M, [&](std::size_t i) { return hn::Mul(hn::Load(d, G + i), hn::Load(d, S + i)); });
    }
    for (std::size_t j = 0; j < keys; ++j) {
      float* g = G + j * size;
      dk[j] += SumOfVectors(
          size, [&](std::size_t i) { return hn::Mul(hn::Load(d, g + i), hn::Load(d, x.v + i)); });
      if constexpr (!kOneDecay) {
        dw[j] += SumOfVectors(size, [&](std::size_t i) {
          return hn::Mul(hn::Load(d, g + i), hn::Load(d, S + j * size + i));
        });
      }
      const auto decay = hn::Set(d, x.w[kOneDecay ? 0 : j]);
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        auto back = hn::Mul(decay, hn::Load(d, g + i));
        if constexpr (kCorrects) {
          back = hn::MulAdd(hn::Set(d, x.p[j]), hn::Load(d, de + i), back);
        }
        hn::Store(back, d, g + i);
      }
    }
  }
}

template <bool kOneDecay, bool kCorrects>
void MemoryBackwardImpl(const MemoryShape& shape, const MemoryVectors<const float>& in,
                        const HeadVectors<const float>& d_out, float* scratch,
                        const MemoryVectors<float>& gradient) {
  for (std::size_t h = 0; h < shape.heads; ++h) {
    MemoryBackwardHead<kOneDecay, kCorrects>(shape, in, h, d_out, scratch + shape.memory(), scratch,
                                             gradient);
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
