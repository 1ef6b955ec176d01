#include "flare/nn/kernels/transformer_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/transformer_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void LayerNormForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT gain,
                      const float* HWY_RESTRICT bias, const float* HWY_RESTRICT x,
                      float* HWY_RESTRICT normalized, float* HWY_RESTRICT inverse_deviation,
                      float* HWY_RESTRICT y) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const float share = 1.0f / static_cast<float>(width);
  constexpr float kEpsilon = 1e-5f;
  HWY_ALIGN float partial[8];
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = x + r * width;
    for (std::size_t l = 0; l < 8; l += lanes) {
      auto sum = hn::Zero(d);
      for (std::size_t j = l; j < width; j += 8) sum = hn::Add(sum, hn::Load(d, row + j));
      hn::Store(sum, d, partial + l);
    }
    const auto mean = hn::Set(d, SumEight(partial) * share);
    for (std::size_t l = 0; l < 8; l += lanes) {
      auto sum = hn::Zero(d);
      for (std::size_t j = l; j < width; j += 8) {
        const auto centred = hn::Sub(hn::Load(d, row + j), mean);
        sum = hn::MulAdd(centred, centred, sum);
      }
      hn::Store(sum, d, partial + l);
    }
    const float inverse = 1.0f / std::sqrt(SumEight(partial) * share + kEpsilon);
    inverse_deviation[r] = inverse;
    const auto scale = hn::Set(d, inverse);
    for (std::size_t j = 0; j < width; j += lanes) {
      const auto value = hn::Mul(hn::Sub(hn::Load(d, row + j), mean), scale);
      hn::Store(value, d, normalized + r * width + j);
      hn::Store(hn::MulAdd(value, hn::Load(d, gain + j), hn::Load(d, bias + j)), d,
                y + r * width + j);
    }
  }
}

void LayerNormBackward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT gain,
                       const float* HWY_RESTRICT normalized,
                       const float* HWY_RESTRICT inverse_deviation, const float* HWY_RESTRICT dy,
                       float* HWY_RESTRICT d_gain, float* HWY_RESTRICT d_bias,
                       float* HWY_RESTRICT dx) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const float share = 1.0f / static_cast<float>(width);
  HWY_ALIGN float sums[8], products[8];
  for (std::size_t r = 0; r < rows; ++r) {
    const float* dy_row = dy + r * width;
    const float* n_row = normalized + r * width;
    for (std::size_t l = 0; l < 8; l += lanes) {
      auto sum = hn::Zero(d), product = hn::Zero(d);
      for (std::size_t j = l; j < width; j += 8) {
        const auto g = hn::Mul(hn::Load(d, dy_row + j), hn::Load(d, gain + j));
        sum = hn::Add(sum, g);
        product = hn::MulAdd(g, hn::Load(d, n_row + j), product);
      }
      hn::Store(sum, d, sums + l);
      hn::Store(product, d, products + l);
    }
    const auto mean = hn::Set(d, SumEight(sums) * share);
    const auto slope = hn::Set(d, SumEight(products) * share);
    const auto scale = hn::Set(d, inverse_deviation[r]);
    for (std::size_t j = 0; j < width; j += lanes) {
      const auto g_out = hn::Load(d, dy_row + j);
      const auto n = hn::Load(d, n_row + j);
      // dx = (g − mean g − n · mean(g n)) / σ
      const auto g = hn::Mul(g_out, hn::Load(d, gain + j));
      const auto centred = hn::Sub(hn::NegMulAdd(n, slope, g), mean);
      float* out = dx + r * width + j;
      hn::Store(hn::MulAdd(centred, scale, hn::Load(d, out)), d, out);
      hn::Store(hn::MulAdd(g_out, n, hn::Load(d, d_gain + j)), d, d_gain + j);
      hn::Store(hn::Add(g_out, hn::Load(d, d_bias + j)), d, d_bias + j);
    }
  }
}

// Keep-bits of the lanes from l on.
template <class D>
HWY_INLINE hn::Mask<D> KeepBits(D d, std::uint8_t byte, std::size_t l) {
  const std::uint8_t bits[8] = {static_cast<std::uint8_t>(byte >> l)};
  return hn::LoadMaskBits(d, bits);
}

// Attention for kHeads heads of kDims dimensions, which then stay in registers; 0 stands for any
// number, with the accumulators in memory. Three passes over the keys: scores, exponentials,
// values.
template <std::size_t kDims, std::size_t kHeads, bool kSlopes>
void AttentionForwardImpl(const AttentionShape& shape, const float* HWY_RESTRICT qkv,
                          const std::uint8_t* HWY_RESTRICT mask, float mask_scale, float* p,
                          float* HWY_RESTRICT scratch, float* HWY_RESTRICT out) {
  const F d;
  using V = hn::Vec<F>;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t dims = kDims != 0 ? kDims : shape.dims;
  const std::size_t heads = kHeads != 0 ? kHeads : shape.heads;
  const std::size_t first = shape.first, n = shape.n, width = heads * dims, stride = 3 * width;
  const V scale = hn::Set(d, 1.0f / std::sqrt(static_cast<float>(dims)));
  const V keep_scale = hn::Set(d, mask_scale);
  for (std::size_t i = first; i < n; ++i) {
    const std::size_t pair = CausalPairs(i) - CausalPairs(first);
    const std::size_t seen = shape.strict ? i : i + 1;
    float* row_p = p != nullptr ? p + pair * heads : scratch;
    for (std::size_t l = 0; l < heads; l += lanes) {
      const float* q = qkv + i * stride + l;
      const float* keys = qkv + width + l;
      const float* values = qkv + 2 * width + l;
      V highest = hn::Set(d, -3.0e38f);
      for (std::size_t j = 0; j < seen; ++j) {
        const float* k = keys + j * stride;
        V score = hn::Mul(hn::Load(d, q), hn::Load(d, k));
        for (std::size_t m = 1; m < dims; ++m) {
          score = hn::MulAdd(hn::Load(d, q + heads * m), hn::Load(d, k + heads * m), score);
        }
        score = hn::Mul(score, scale);
        if constexpr (kSlopes) {
          score = hn::NegMulAdd(hn::Load(d, shape.slopes + l),
                                hn::Set(d, static_cast<float>(i - j)), score);
        }
        highest = hn::Max(highest, score);
        hn::Store(score, d, row_p + heads * j + l);
      }
      V sum = hn::Zero(d);
      for (std::size_t j = 0; j < seen; ++j) {
        const V e = hn::Exp(d, hn::Sub(hn::Load(d, row_p + heads * j + l), highest));
        sum = hn::Add(sum, e);
        hn::Store(e, d, row_p + heads * j + l);
      }
      const V inverse = hn::Div(hn::Set(d, 1.0f), sum);
      float* o = out + (i - first) * width + l;
      const auto probability_of = [&](std::size_t j) {
        V probability = hn::Mul(hn::Load(d, row_p + heads * j + l), inverse);
        hn::Store(probability, d, row_p + heads * j + l);
        if (mask != nullptr) {
          probability =
              hn::IfThenElseZero(KeepBits(d, mask[(pair + j) * (heads / 8) + l / 8], l % 8),
                                 hn::Mul(probability, keep_scale));
        }
        return probability;
      };
      if constexpr (kDims == 4) {
        V o0 = hn::Zero(d), o1 = o0, o2 = o0, o3 = o0;
        for (std::size_t j = 0; j < seen; ++j) {
          const V probability = probability_of(j);
          const float* v = values + j * stride;
          o0 = hn::MulAdd(probability, hn::Load(d, v), o0);
          o1 = hn::MulAdd(probability, hn::Load(d, v + 8), o1);
          o2 = hn::MulAdd(probability, hn::Load(d, v + 16), o2);
          o3 = hn::MulAdd(probability, hn::Load(d, v + 24), o3);
        }
        hn::Store(o0, d, o);
        hn::Store(o1, d, o + 8);
        hn::Store(o2, d, o + 16);
        hn::Store(o3, d, o + 24);
      } else {
        for (std::size_t m = 0; m < dims; ++m) hn::Store(hn::Zero(d), d, o + heads * m);
        for (std::size_t j = 0; j < seen; ++j) {
          const V probability = probability_of(j);
          const float* v = values + j * stride;
          for (std::size_t m = 0; m < dims; ++m) {
            hn::Store(
                hn::MulAdd(probability, hn::Load(d, v + heads * m), hn::Load(d, o + heads * m)), d,
                o + heads * m);
          }
        }
      }
    }
  }
}

template <bool kSlopes>
void AttentionForwardWithSlopes(const AttentionShape& shape, const float* qkv,
                                const std::uint8_t* mask, float mask_scale, float* p,
                                float* scratch, float* out) {
  if (shape.heads != 8) {
    AttentionForwardImpl<0, 0, kSlopes>(shape, qkv, mask, mask_scale, p, scratch, out);
  } else if (shape.dims != 4) {
    AttentionForwardImpl<0, 8, kSlopes>(shape, qkv, mask, mask_scale, p, scratch, out);
  } else {
    AttentionForwardImpl<4, 8, kSlopes>(shape, qkv, mask, mask_scale, p, scratch, out);
  }
}

void AttentionForward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                      float mask_scale, float* p, float* scratch, float* out) {
  if (shape.slopes != nullptr) {
    AttentionForwardWithSlopes<true>(shape, qkv, mask, mask_scale, p, scratch, out);
  } else {
    AttentionForwardWithSlopes<false>(shape, qkv, mask, mask_scale, p, scratch, out);
  }
}

template <std::size_t kDims, std::size_t kHeads>
void AttentionBackwardImpl(const AttentionShape& shape, const float* HWY_RESTRICT qkv,
                           const std::uint8_t* HWY_RESTRICT mask, float mask_scale,
                           const float* HWY_RESTRICT p, const float* HWY_RESTRICT d_out,
                           float* HWY_RESTRICT scratch, float* HWY_RESTRICT d_qkv) {
  const F d;
  using V = hn::Vec<F>;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t dims = kDims != 0 ? kDims : shape.dims;
  const std::size_t heads = kHeads != 0 ? kHeads : shape.heads;
  const std::size_t first = shape.first, n = shape.n, width = heads * dims, stride = 3 * width;
  const V scale = hn::Set(d, 1.0f / std::sqrt(static_cast<float>(dims)));
  const V keep_scale = hn::Set(d, mask_scale);
  for (std::size_t i = 0; i < n * stride; i += lanes) hn::Store(hn::Zero(d), d, d_qkv + i);
  for (std::size_t i = first; i < n; ++i) {
    const std::size_t pair = CausalPairs(i) - CausalPairs(first);
    const std::size_t seen = shape.strict ? i : i + 1;
    const float* row_p = p + pair * heads;
    for (std::size_t l = 0; l < heads; l += lanes) {
      const float* g = d_out + (i - first) * width + l;
      // dP_j = dO · v_j, and the mean of it under P, which the softmax subtracts.
      V mean = hn::Zero(d);
      for (std::size_t j = 0; j < seen; ++j) {
        const float* v = qkv + j * stride + 2 * width + l;
        float* dv = d_qkv + j * stride + 2 * width + l;
        const V probability = hn::Load(d, row_p + heads * j + l);
        V used = probability;
        V d_p = hn::Zero(d);
        if (mask != nullptr) {
          used = hn::IfThenElseZero(KeepBits(d, mask[(pair + j) * (heads / 8) + l / 8], l % 8),
                                    hn::Mul(probability, keep_scale));
        }
        for (std::size_t m = 0; m < dims; ++m) {
          const V gradient = hn::Load(d, g + heads * m);
          d_p = hn::MulAdd(gradient, hn::Load(d, v + heads * m), d_p);
          hn::Store(hn::MulAdd(used, gradient, hn::Load(d, dv + heads * m)), d, dv + heads * m);
        }
        if (mask != nullptr) {
          d_p = hn::IfThenElseZero(KeepBits(d, mask[(pair + j) * (heads / 8) + l / 8], l % 8),
                                   hn::Mul(d_p, keep_scale));
        }
        mean = hn::MulAdd(probability, d_p, mean);
        hn::Store(d_p, d, scratch + heads * j + l);
      }
      const float* q = qkv + i * stride + l;
      float* dq = d_qkv + i * stride + l;
      const auto d_score_of = [&](std::size_t j) {
        const V probability = hn::Load(d, row_p + heads * j + l);
        return hn::Mul(hn::Mul(probability, hn::Sub(hn::Load(d, scratch + heads * j + l), mean)),
                       scale);
      };
      if constexpr (kDims == 4) {
        const V q0 = hn::Load(d, q), q1 = hn::Load(d, q + 8), q2 = hn::Load(d, q + 16),
                q3 = hn::Load(d, q + 24);
        V dq0 = hn::Zero(d), dq1 = dq0, dq2 = dq0, dq3 = dq0;
        for (std::size_t j = 0; j < seen; ++j) {
          const V d_score = d_score_of(j);
          const float* k = qkv + j * stride + width + l;
          float* dk = d_qkv + j * stride + width + l;
          dq0 = hn::MulAdd(d_score, hn::Load(d, k), dq0);
          dq1 = hn::MulAdd(d_score, hn::Load(d, k + 8), dq1);
          dq2 = hn::MulAdd(d_score, hn::Load(d, k + 16), dq2);
          dq3 = hn::MulAdd(d_score, hn::Load(d, k + 24), dq3);
          hn::Store(hn::MulAdd(d_score, q0, hn::Load(d, dk)), d, dk);
          hn::Store(hn::MulAdd(d_score, q1, hn::Load(d, dk + 8)), d, dk + 8);
          hn::Store(hn::MulAdd(d_score, q2, hn::Load(d, dk + 16)), d, dk + 16);
          hn::Store(hn::MulAdd(d_score, q3, hn::Load(d, dk + 24)), d, dk + 24);
        }
        hn::Store(dq0, d, dq);
        hn::Store(dq1, d, dq + 8);
        hn::Store(dq2, d, dq + 16);
        hn::Store(dq3, d, dq + 24);
      } else {
        for (std::size_t j = 0; j < seen; ++j) {
          const V d_score = d_score_of(j);
          const float* k = qkv + j * stride + width + l;
          float* dk = d_qkv + j * stride + width + l;
          for (std::size_t m = 0; m < dims; ++m) {
            hn::Store(hn::MulAdd(d_score, hn::Load(d, k + heads * m), hn::Load(d, dq + heads * m)),
                      d, dq + heads * m);
            hn::Store(hn::MulAdd(d_score, hn::Load(d, q + heads * m), hn::Load(d, dk + heads * m)),
                      d, dk + heads * m);
          }
        }
      }
    }
  }
}

void AttentionBackward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                       float mask_scale, const float* p, const float* d_out, float* scratch,
                       float* d_qkv) {
  if (shape.heads != 8) {
    AttentionBackwardImpl<0, 0>(shape, qkv, mask, mask_scale, p, d_out, scratch, d_qkv);
  } else if (shape.dims != 4) {
    AttentionBackwardImpl<0, 8>(shape, qkv, mask, mask_scale, p, d_out, scratch, d_qkv);
  } else {
    AttentionBackwardImpl<4, 8>(shape, qkv, mask, mask_scale, p, d_out, scratch, d_qkv);
  }
}

void RotatePairs(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                 const float* HWY_RESTRICT angles, float direction, float* HWY_RESTRICT qkv) {
  const F d;
  const std::size_t width = heads * dims;
  for (std::size_t t = 0; t < n; ++t, angles += dims, qkv += stride) {
    for (std::size_t m = 0; m < dims; m += 2) {
      const auto cos = hn::Set(d, angles[m]), sin = hn::Set(d, direction * angles[m + 1]);
      // Of queries, then of keys.
      for (float* part : {qkv + m * heads, qkv + width + m * heads}) {
        for (std::size_t l = 0; l < heads; l += hn::Lanes(d)) {
          const auto x = hn::Load(d, part + l), y = hn::Load(d, part + heads + l);
          hn::Store(hn::NegMulAdd(y, sin, hn::Mul(x, cos)), d, part + l);
          hn::Store(hn::MulAdd(x, sin, hn::Mul(y, cos)), d, part + heads + l);
        }
      }
    }
  }
}

void BiasReluDropout(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                     const std::uint8_t* HWY_RESTRICT mask, float scale, float* HWY_RESTRICT x) {
  const F d;
  const auto factor = hn::Set(d, scale);
  const auto zero = hn::Zero(d);
  for (std::size_t r = 0; r < rows; ++r, x += width) {
    for (std::size_t j = 0; j < width; j += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        float* at = x + j + l;
        auto y = hn::Max(zero, hn::Add(hn::Load(d, at), hn::Load(d, bias + j + l)));
        if (mask != nullptr) {
          y = hn::IfThenElseZero(KeepBits(d, mask[(r * width + j) / 8], l), hn::Mul(y, factor));
        }
        hn::Store(y, d, at);
      }
    }
  }
}

void ReluDropoutBackward(std::size_t count, const float* HWY_RESTRICT y, float scale,
                         float* HWY_RESTRICT gradient) {
  const F d;
  const auto factor = hn::Set(d, scale);
  const auto zero = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto on = hn::Gt(hn::Load(d, y + i), zero);
    hn::Store(hn::IfThenElseZero(on, hn::Mul(factor, hn::Load(d, gradient + i))), d, gradient + i);
  }
}

void BiasDropoutAdd(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                    const float* HWY_RESTRICT x, const std::uint8_t* HWY_RESTRICT mask, float scale,
                    float* HWY_RESTRICT residual) {
  const F d;
  const auto factor = hn::Set(d, scale);
  for (std::size_t r = 0; r < rows; ++r, x += width, residual += width) {
    for (std::size_t j = 0; j < width; j += 8) {
      for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
        auto y = hn::Add(hn::Load(d, x + j + l), hn::Load(d, bias + j + l));
        if (mask != nullptr) {
          y = hn::IfThenElseZero(KeepBits(d, mask[(r * width + j) / 8], l), hn::Mul(y, factor));
        }
        hn::Store(hn::Add(y, hn::Load(d, residual + j + l)), d, residual + j + l);
      }
    }
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(LayerNormForward);
HWY_EXPORT(LayerNormBackward);
HWY_EXPORT(AttentionForward);
HWY_EXPORT(AttentionBackward);
HWY_EXPORT(RotatePairs);
HWY_EXPORT(BiasReluDropout);
HWY_EXPORT(ReluDropoutBackward);
HWY_EXPORT(BiasDropoutAdd);

void LayerNormForward(std::size_t rows, std::size_t width, const float* gain, const float* bias,
                      const float* x, float* normalized, float* inverse_deviation, float* y) {
  ForThread(HWY_DISPATCH_TABLE(LayerNormForward))(rows, width, gain, bias, x, normalized,
                                                  inverse_deviation, y);
}
void LayerNormBackward(std::size_t rows, std::size_t width, const float* gain,
                       const float* normalized, const float* inverse_deviation, const float* dy,
                       float* d_gain, float* d_bias, float* dx) {
  ForThread(HWY_DISPATCH_TABLE(LayerNormBackward))(rows, width, gain, normalized, inverse_deviation,
                                                   dy, d_gain, d_bias, dx);
}
void AttentionForward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                      float mask_scale, float* p, float* scratch, float* out) {
  ForThread(HWY_DISPATCH_TABLE(AttentionForward))(shape, qkv, mask, mask_scale, p, scratch, out);
}
void AttentionBackward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                       float mask_scale, const float* p, const float* d_out, float* scratch,
                       float* d_qkv) {
  ForThread(HWY_DISPATCH_TABLE(AttentionBackward))(shape, qkv, mask, mask_scale, p, d_out, scratch,
                                                   d_qkv);
}
void RotatePairs(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                 const float* angles, float direction, float* qkv) {
  ForThread(HWY_DISPATCH_TABLE(RotatePairs))(n, heads, dims, stride, angles, direction, qkv);
}
void BiasReluDropout(std::size_t rows, std::size_t width, const float* bias,
                     const std::uint8_t* mask, float scale, float* x) {
  ForThread(HWY_DISPATCH_TABLE(BiasReluDropout))(rows, width, bias, mask, scale, x);
}
void ReluDropoutBackward(std::size_t count, const float* y, float scale, float* d) {
  ForThread(HWY_DISPATCH_TABLE(ReluDropoutBackward))(count, y, scale, d);
}
void BiasDropoutAdd(std::size_t rows, std::size_t width, const float* bias, const float* x,
                    const std::uint8_t* mask, float scale, float* residual) {
  ForThread(HWY_DISPATCH_TABLE(BiasDropoutAdd))(rows, width, bias, x, mask, scale, residual);
}

}  // namespace flare
#endif  // HWY_ONCE
