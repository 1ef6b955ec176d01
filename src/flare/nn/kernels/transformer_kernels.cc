#include "flare/nn/kernels/transformer_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/transformer_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

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

// The heads in the lanes of vectors. Columns are ordered [dimension][head]: where there are at
// least as many heads as lanes, a vector holds one dimension of some heads; where there are fewer,
// it holds several dimensions of all heads.
struct HeadVectors {
  explicit HeadVectors(const AttentionShape& shape)
      : group(std::max(shape.heads, hn::Lanes(F()))), count(shape.width() / group) {}

  std::size_t group;  // floats from a vector to the next one of the same heads
  std::size_t count;  // vectors of the same heads
};

// Adds up the dimensions that a vector holds of each head; all lanes of a head get the sum.
template <class V>
HWY_INLINE V SumOfDimensions([[maybe_unused]] F d, V v, [[maybe_unused]] std::size_t heads) {
#if HWY_TARGET != HWY_SCALAR
  const std::size_t lanes = hn::Lanes(d);
  if (lanes == 8 && heads <= 4) v = hn::Add(v, hn::ConcatLowerUpper(d, v, v));
  if (lanes >= 4 && heads <= 2) v = hn::Add(v, hn::Shuffle1032(v));
  if (lanes >= 2 && heads == 1) v = hn::Add(v, hn::Shuffle2301(v));
#endif
  return v;
}

// Calls chunk(size, m) for the vectors from m on, four or one at a time, so that what it
// accumulates of them stays in registers.
template <class Chunk>
HWY_INLINE void InChunks(std::size_t count, Chunk chunk) {
  std::size_t m = 0;
  for (; m + 4 <= count; m += 4) chunk(std::integral_constant<std::size_t, 4>(), m);
  for (; m < count; ++m) chunk(std::integral_constant<std::size_t, 1>(), m);
}

// The bits of a pair's mask that belong to vectors of heads.
struct PairMask {
  PairMask(const AttentionShape& shape, const std::uint8_t* mask)
      : bytes(shape.lanes() / 8), mask(mask) {
    if (shape.heads >= 8) return;
    own = (1u << shape.heads) - 1;
    copies = 0xFF / own;  // a one in every place where a copy of the heads begins
  }
  HWY_INLINE hn::Mask<F> Keep(std::size_t pair, std::size_t l) const {
    const unsigned byte = mask[pair * bytes + l / 8];
    return KeepBits(F(), static_cast<std::uint8_t>((byte & own) * copies), l % 8);
  }

  std::size_t bytes;
  const std::uint8_t* mask;
  unsigned own = 0xFF, copies = 1;
};

// The term that is added to the scores of pairs.
enum class Added { kNothing, kSlopes, kBiases };

// Three passes over the keys: scores, exponentials, values. kHeads: a number of heads that the
// compiler knows; 0 stands for any.
template <std::size_t kHeads, Added kAdded>
void AttentionForwardImpl(const AttentionShape& given, const float* HWY_RESTRICT qkv,
                          const std::uint8_t* HWY_RESTRICT mask, float mask_scale, float* p,
                          float* HWY_RESTRICT scratch, float* HWY_RESTRICT out) {
  const F d;
  using V = hn::Vec<F>;
  AttentionShape shape = given;
  if constexpr (kHeads != 0) shape.heads = kHeads;
  const HeadVectors vectors(shape);
  const PairMask kept(shape, mask);
  const std::size_t lanes = hn::Lanes(d), group = vectors.group, of_pair = shape.lanes();
  const std::size_t first = shape.first, width = shape.width(), stride = 3 * width;
  const V scale = hn::Set(d, 1.0f / std::sqrt(static_cast<float>(shape.dims)));
  const V keep_scale = hn::Set(d, mask_scale);
  for (std::size_t i = first; i < shape.n; ++i) {
    const std::size_t pair = CausalPairs(i) - CausalPairs(first);
    const std::size_t seen = shape.strict ? i : i + 1;
    for (std::size_t l = 0; l < group; l += lanes) {
      float* row_p = (p != nullptr ? p + pair * of_pair : scratch) + l;
      V highest = hn::Set(d, -3.0e38f);
      InChunks(vectors.count, [&](auto size, std::size_t m) {
        const float* q = qkv + i * stride + m * group + l;
        const bool begins = m == 0, ends = m + size() == vectors.count;
        const V q0 = hn::Load(d, q);
        V q1 = q0, q2 = q0, q3 = q0;
        if constexpr (size() == 4) {
          q1 = hn::Load(d, q + group);
          q2 = hn::Load(d, q + 2 * group);
          q3 = hn::Load(d, q + 3 * group);
        }
        for (std::size_t j = 0; j < seen; ++j) {
          const float* k = qkv + j * stride + width + m * group + l;
          V score = begins ? hn::Mul(q0, hn::Load(d, k))
                           : hn::MulAdd(q0, hn::Load(d, k), hn::Load(d, row_p + of_pair * j));
          if constexpr (size() == 4) {
            score = hn::MulAdd(q1, hn::Load(d, k + group), score);
            score = hn::MulAdd(q2, hn::Load(d, k + 2 * group), score);
            score = hn::MulAdd(q3, hn::Load(d, k + 3 * group), score);
          }
          if (ends) {
            const V sum = SumOfDimensions(d, score, shape.heads);
            if constexpr (kAdded == Added::kBiases) {
              const float* bias = shape.biases + (CausalPairs(i) + j) * of_pair + l;
              score = hn::MulAdd(sum, scale, hn::Load(d, bias));
            } else {
              score = hn::Mul(sum, scale);
            }
            if constexpr (kAdded == Added::kSlopes) {
              score = hn::NegMulAdd(hn::Load(d, shape.slopes + l),
                                    hn::Set(d, static_cast<float>(i - j)), score);
            }
            highest = hn::Max(highest, score);
          }
          hn::Store(score, d, row_p + of_pair * j);
        }
      });
      V sum = hn::Zero(d);
      for (std::size_t j = 0; j < seen; ++j) {
        const V e = hn::Exp(d, hn::Sub(hn::Load(d, row_p + of_pair * j), highest));
        sum = hn::Add(sum, e);
        hn::Store(e, d, row_p + of_pair * j);
      }
      const V inverse = hn::Div(hn::Set(d, 1.0f), sum);
      InChunks(vectors.count, [&](auto size, std::size_t m) {
        V o0 = hn::Zero(d), o1 = o0, o2 = o0, o3 = o0;
        for (std::size_t j = 0; j < seen; ++j) {
          V probability = hn::Load(d, row_p + of_pair * j);
          if (m == 0) {
            probability = hn::Mul(probability, inverse);
            hn::Store(probability, d, row_p + of_pair * j);
          }
          if (mask != nullptr) {
            probability =
                hn::IfThenElseZero(kept.Keep(pair + j, l), hn::Mul(probability, keep_scale));
          }
          const float* v = qkv + j * stride + 2 * width + m * group + l;
          o0 = hn::MulAdd(probability, hn::Load(d, v), o0);
          if constexpr (size() == 4) {
            o1 = hn::MulAdd(probability, hn::Load(d, v + group), o1);
            o2 = hn::MulAdd(probability, hn::Load(d, v + 2 * group), o2);
            o3 = hn::MulAdd(probability, hn::Load(d, v + 3 * group), o3);
          }
        }
        float* o = out + (i - first) * width + m * group + l;
        hn::Store(o0, d, o);
        if constexpr (size() == 4) {
          hn::Store(o1, d, o + group);
          hn::Store(o2, d, o + 2 * group);
          hn::Store(o3, d, o + 3 * group);
        }
      });
    }
  }
}

void AttentionForward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                      float mask_scale, float* p, float* scratch, float* out) {
  const auto of = [&]<Added kAdded>(std::integral_constant<Added, kAdded>) {
    return shape.heads == 8 ? AttentionForwardImpl<8, kAdded> : AttentionForwardImpl<0, kAdded>;
  };
  const auto forward = shape.biases != nullptr ? of(std::integral_constant<Added, Added::kBiases>())
                       : shape.slopes != nullptr
                           ? of(std::integral_constant<Added, Added::kSlopes>())
                           : of(std::integral_constant<Added, Added::kNothing>());
  forward(shape, qkv, mask, mask_scale, p, scratch, out);
}

template <std::size_t kHeads>
void AttentionBackwardImpl(const AttentionShape& given, const float* HWY_RESTRICT qkv,
                           const std::uint8_t* HWY_RESTRICT mask, float mask_scale,
                           const float* HWY_RESTRICT p, const float* HWY_RESTRICT d_out,
                           float* HWY_RESTRICT scratch, float* HWY_RESTRICT d_qkv,
                           float* HWY_RESTRICT d_biases) {
  const F d;
  using V = hn::Vec<F>;
  AttentionShape shape = given;
  if constexpr (kHeads != 0) shape.heads = kHeads;
  const HeadVectors vectors(shape);
  const PairMask kept(shape, mask);
  const std::size_t lanes = hn::Lanes(d), group = vectors.group, of_pair = shape.lanes();
  const std::size_t first = shape.first, width = shape.width(), stride = 3 * width;
  const V scale = hn::Set(d, 1.0f / std::sqrt(static_cast<float>(shape.dims)));
  const V keep_scale = hn::Set(d, mask_scale);
  for (std::size_t i = 0; i < shape.n * stride; i += lanes) hn::Store(hn::Zero(d), d, d_qkv + i);
  for (std::size_t i = first; i < shape.n; ++i) {
    const std::size_t pair = CausalPairs(i) - CausalPairs(first);
    const std::size_t seen = shape.strict ? i : i + 1;
    for (std::size_t l = 0; l < group; l += lanes) {
      const float* row_p = p + pair * of_pair + l;
      float* row_d = scratch + l;  // gradients of probabilities, then of scores
      // dP_j = dO · v_j, and the mean of it under P, which the softmax subtracts.
      V mean = hn::Zero(d);
      InChunks(vectors.count, [&](auto size, std::size_t m) {
        const float* g = d_out + (i - first) * width + m * group + l;
        const bool begins = m == 0, ends = m + size() == vectors.count;
        const V g0 = hn::Load(d, g);
        V g1 = g0, g2 = g0, g3 = g0;
        if constexpr (size() == 4) {
          g1 = hn::Load(d, g + group);
          g2 = hn::Load(d, g + 2 * group);
          g3 = hn::Load(d, g + 3 * group);
        }
        for (std::size_t j = 0; j < seen; ++j) {
          const std::size_t at = j * stride + 2 * width + m * group + l;
          const float* v = qkv + at;
          float* dv = d_qkv + at;
          const V probability = hn::Load(d, row_p + of_pair * j);
          V used = probability;
          if (mask != nullptr) {
            used = hn::IfThenElseZero(kept.Keep(pair + j, l), hn::Mul(probability, keep_scale));
          }
          V d_p = begins ? hn::Zero(d) : hn::Load(d, row_d + of_pair * j);
          d_p = hn::MulAdd(g0, hn::Load(d, v), d_p);
          hn::Store(hn::MulAdd(used, g0, hn::Load(d, dv)), d, dv);
          if constexpr (size() == 4) {
            d_p = hn::MulAdd(g1, hn::Load(d, v + group), d_p);
            hn::Store(hn::MulAdd(used, g1, hn::Load(d, dv + group)), d, dv + group);
            d_p = hn::MulAdd(g2, hn::Load(d, v + 2 * group), d_p);
            hn::Store(hn::MulAdd(used, g2, hn::Load(d, dv + 2 * group)), d, dv + 2 * group);
            d_p = hn::MulAdd(g3, hn::Load(d, v + 3 * group), d_p);
            hn::Store(hn::MulAdd(used, g3, hn::Load(d, dv + 3 * group)), d, dv + 3 * group);
          }
          if (ends) {
            d_p = SumOfDimensions(d, d_p, shape.heads);
            if (mask != nullptr) {
              d_p = hn::IfThenElseZero(kept.Keep(pair + j, l), hn::Mul(d_p, keep_scale));
            }
            mean = hn::MulAdd(probability, d_p, mean);
          }
          hn::Store(d_p, d, row_d + of_pair * j);
        }
      });
      InChunks(vectors.count, [&](auto size, std::size_t m) {
        const float* q = qkv + i * stride + m * group + l;
        const V q0 = hn::Load(d, q);
        V q1 = q0, q2 = q0, q3 = q0;
        if constexpr (size() == 4) {
          q1 = hn::Load(d, q + group);
          q2 = hn::Load(d, q + 2 * group);
          q3 = hn::Load(d, q + 3 * group);
        }
        V dq0 = hn::Zero(d), dq1 = dq0, dq2 = dq0, dq3 = dq0;
        for (std::size_t j = 0; j < seen; ++j) {
          V d_score = hn::Load(d, row_d + of_pair * j);
          if (m == 0) {
            const V probability = hn::Load(d, row_p + of_pair * j);
            const V centred = hn::Sub(d_score, mean);
            if (d_biases != nullptr) {
              float* d_bias = d_biases + (CausalPairs(i) + j) * of_pair + l;
              hn::Store(hn::MulAdd(probability, centred, hn::Load(d, d_bias)), d, d_bias);
            }
            d_score = hn::Mul(hn::Mul(probability, centred), scale);
            hn::Store(d_score, d, row_d + of_pair * j);
          }
          const std::size_t at = j * stride + width + m * group + l;
          const float* k = qkv + at;
          float* dk = d_qkv + at;
          dq0 = hn::MulAdd(d_score, hn::Load(d, k), dq0);
          hn::Store(hn::MulAdd(d_score, q0, hn::Load(d, dk)), d, dk);
          if constexpr (size() == 4) {
            dq1 = hn::MulAdd(d_score, hn::Load(d, k + group), dq1);
            dq2 = hn::MulAdd(d_score, hn::Load(d, k + 2 * group), dq2);
            dq3 = hn::MulAdd(d_score, hn::Load(d, k + 3 * group), dq3);
            hn::Store(hn::MulAdd(d_score, q1, hn::Load(d, dk + group)), d, dk + group);
            hn::Store(hn::MulAdd(d_score, q2, hn::Load(d, dk + 2 * group)), d, dk + 2 * group);
            hn::Store(hn::MulAdd(d_score, q3, hn::Load(d, dk + 3 * group)), d, dk + 3 * group);
          }
        }
        float* dq = d_qkv + i * stride + m * group + l;
        hn::Store(dq0, d, dq);
        if constexpr (size() == 4) {
          hn::Store(dq1, d, dq + group);
          hn::Store(dq2, d, dq + 2 * group);
          hn::Store(dq3, d, dq + 3 * group);
        }
      });
    }
  }
}

void AttentionBackward(const AttentionShape& shape, const float* qkv, const std::uint8_t* mask,
                       float mask_scale, const float* p, const float* d_out, float* scratch,
                       float* d_qkv, float* d_biases) {
  const auto backward = shape.heads == 8 ? AttentionBackwardImpl<8> : AttentionBackwardImpl<0>;
  backward(shape, qkv, mask, mask_scale, p, d_out, scratch, d_qkv, d_biases);
}

void RotatePairs(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                 const float* HWY_RESTRICT angles, float direction, float* HWY_RESTRICT qkv) {
  const F d;
  const std::size_t width = heads * dims;
  for (std::size_t t = 0; t < n; ++t, angles += dims, qkv += stride) {
    for (std::size_t m = 0; m < dims; m += 2) {
      const auto cos = hn::Set(d, angles[m]), sin = hn::Set(d, direction * angles[m + 1]);
      // Queries come first, then keys.
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

// The vector at x of a row whose dimensions 2i and 2i + 1 have changed places.
HWY_INLINE hn::Vec<F> OtherOfPair(F d, const float* row, std::size_t c, std::size_t heads) {
#if HWY_TARGET != HWY_SCALAR
  const std::size_t lanes = hn::Lanes(d);
  if (heads < lanes) {
    const auto x = hn::Load(d, row + c);
    if (heads == 4) return hn::ConcatLowerUpper(d, x, x);
    return heads == 2 ? hn::Shuffle1032(x) : hn::Shuffle2301(x);
  }
#endif
  return hn::Load(d, c / heads % 2 == 0 ? row + c + heads : row + c - heads);
}

void RotateFewHeads(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                    const float* HWY_RESTRICT angles, float direction, float* HWY_RESTRICT qkv) {
  const F d;
  const std::size_t width = heads * dims;
  const auto sign = hn::Set(d, direction);
  HWY_ALIGN float rotated[8];
  for (std::size_t t = 0; t < n; ++t, angles += 2 * width, qkv += stride) {
    for (float* part : {qkv, qkv + width}) {  // of queries, then of keys
      // Elements that exchange places are within eight columns.
      for (std::size_t c = 0; c < width; c += 8) {
        for (std::size_t l = 0; l < 8; l += hn::Lanes(d)) {
          const std::size_t at = c + l;
          const auto cos = hn::Load(d, angles + at);
          const auto sin = hn::Mul(sign, hn::Load(d, angles + width + at));
          const auto y = hn::Mul(hn::Load(d, part + at), cos);
          hn::Store(hn::MulAdd(OtherOfPair(d, part, at, heads), sin, y), d, rotated + l);
        }
        std::copy_n(rotated, 8, part + c);
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
HWY_EXPORT(RotateFewHeads);
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
                       float* d_qkv, float* d_biases) {
  ForThread(HWY_DISPATCH_TABLE(AttentionBackward))(shape, qkv, mask, mask_scale, p, d_out, scratch,
                                                   d_qkv, d_biases);
}
void RotatePairs(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                 const float* angles, float direction, float* qkv) {
  ForThread(HWY_DISPATCH_TABLE(RotatePairs))(n, heads, dims, stride, angles, direction, qkv);
}
void RotateFewHeads(std::size_t n, std::size_t heads, std::size_t dims, std::size_t stride,
                    const float* angles, float direction, float* qkv) {
  ForThread(HWY_DISPATCH_TABLE(RotateFewHeads))(n, heads, dims, stride, angles, direction, qkv);
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
