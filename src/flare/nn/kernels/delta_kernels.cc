#include "flare/nn/kernels/delta_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/delta_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/highway.h>

#include <algorithm>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/head_sums-inl.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The most dimensions of a head, padded.
constexpr std::size_t kMostDims = 8192;

void ScaledLogistic(std::size_t count, float most, float* HWY_RESTRICT x) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Set(d, most), Logistic(d, hn::Load(d, x + i))), d, x + i);
  }
}

void ScaledLogisticBackward(std::size_t count, float most, const float* HWY_RESTRICT beta,
                            float* HWY_RESTRICT gradient) {
  const F d;
  const auto share = hn::Set(d, 1 / most), one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto b = hn::Load(d, beta + i);
    const auto slope = hn::Mul(b, hn::NegMulAdd(b, share, one));
    hn::Store(hn::Mul(hn::Load(d, gradient + i), slope), d, gradient + i);
  }
}

void DecayForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT rate,
                  const float* HWY_RESTRICT s, float* HWY_RESTRICT alpha) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, s += width, alpha += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto exponent = hn::Mul(hn::Load(d, rate + j), hn::Load(d, s + j));
      hn::Store(ExpOfMinus(d, exponent), d, alpha + j);
    }
  }
}

void DecayBackward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT rate,
                   const float* HWY_RESTRICT s, const float* HWY_RESTRICT alpha,
                   float* HWY_RESTRICT gradient, float* HWY_RESTRICT d_rate) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, s += width, alpha += width, gradient += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto d_exponent = hn::Neg(hn::Mul(hn::Load(d, gradient + j), hn::Load(d, alpha + j)));
      hn::Store(hn::MulAdd(d_exponent, hn::Load(d, s + j), hn::Load(d, d_rate + j)), d, d_rate + j);
      hn::Store(hn::Mul(d_exponent, hn::Load(d, rate + j)), d, gradient + j);
    }
  }
}

HWY_INLINE void Scale(std::size_t count, float factor, float* HWY_RESTRICT x) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Set(d, factor), hn::Load(d, x + i)), d, x + i);
  }
}

// error = β (v − S k).
HWY_INLINE void DeltaError(const DeltaShape& shape, const float* HWY_RESTRICT S,
                           const float* HWY_RESTRICT k, const float* HWY_RESTRICT v, float beta,
                           float* HWY_RESTRICT error) {
  const F d;
  const std::size_t size = shape.heads.padded();
  SumOfRows(shape.heads.dims, size, k, S, error);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto difference = hn::Sub(hn::Load(d, v + i), hn::Load(d, error + i));
    hn::Store(hn::Mul(hn::Set(d, beta), difference), d, error + i);
  }
}

void DeltaForward(const DeltaShape& shape, const DeltaInput& in, float* HWY_RESTRICT scratch,
                  float* HWY_RESTRICT out) {
  const std::size_t size = shape.heads.padded(), dims = shape.heads.dims;
  const std::size_t width = shape.heads.width(), heads = shape.heads.heads;
  HWY_ALIGN float error[kMostDims];
  std::fill_n(scratch, heads * shape.memory(), 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    const float* vectors = in.vectors + t * shape.row();
    for (std::size_t h = 0; h < heads; ++h) {
      float* S = scratch + h * shape.memory();
      if (in.alpha != nullptr) Scale(shape.memory(), in.alpha[t * shape.alpha_stride + h], S);
      for (std::size_t s = 0; s < shape.steps; ++s) {
        const float* k = vectors + (1 + 2 * s) * width + h * size;
        DeltaError(shape, S, k, k + width, in.beta[t * shape.beta_stride + s * heads + h], error);
        AddOuterProduct(dims, size, k, error, S);
      }
      if (t < shape.first) continue;
      SumOfRows(dims, size, vectors + h * size, S, out + (t - shape.first) * width + h * size);
    }
  }
}

// One head. `memories` gets S before every step and after the last of every position; G is the
// gradient of S.
void DeltaBackwardHead(const DeltaShape& shape, const DeltaInput& in, std::size_t h,
                       const float* HWY_RESTRICT d_out, float* HWY_RESTRICT memories,
                       float* HWY_RESTRICT G, const DeltaGradient& gradient) {
  const F d;
  const std::size_t size = shape.heads.padded(), dims = shape.heads.dims, M = shape.memory();
  const std::size_t width = shape.heads.width(), heads = shape.heads.heads;
  HWY_ALIGN float error[kMostDims];
  HWY_ALIGN float d_error[kMostDims];
  const auto after = [&](std::size_t t) {
    return memories + (t * (shape.steps + 1) + shape.steps) * M;
  };

  for (std::size_t t = 0; t < shape.n; ++t) {
    float* S = memories + t * (shape.steps + 1) * M;
    if (t == 0) {
      std::fill_n(S, M, 0.0f);
    } else {
      std::copy_n(after(t - 1), M, S);
    }
    if (in.alpha != nullptr) Scale(M, in.alpha[t * shape.alpha_stride + h], S);
    for (std::size_t s = 0; s < shape.steps; ++s, S += M) {
      const float* k = in.vectors + t * shape.row() + (1 + 2 * s) * width + h * size;
      DeltaError(shape, S, k, k + width, in.beta[t * shape.beta_stride + s * heads + h], error);
      std::copy_n(S, M, S + M);
      AddOuterProduct(dims, size, k, error, S + M);
    }
  }

  std::fill_n(G, M, 0.0f);
  for (std::size_t t = shape.n; t-- > 0;) {
    const float* vectors = in.vectors + t * shape.row() + h * size;
    float* d_vectors = gradient.vectors + t * shape.row() + h * size;
    std::fill_n(d_vectors, size, 0.0f);
    if (t >= shape.first) {
      const float* d_o = d_out + (t - shape.first) * width + h * size;
      for (std::size_t j = 0; j < dims; ++j) {
        const float* row = after(t) + j * size;
        d_vectors[j] = SumOfVectors(size, [&](std::size_t i) {
          return hn::Mul(hn::Load(d, row + i), hn::Load(d, d_o + i));
        });
      }
      AddOuterProduct(dims, size, vectors, d_o, G);
    }
    for (std::size_t s = shape.steps; s-- > 0;) {
      const float* S = memories + (t * (shape.steps + 1) + s) * M;
      const std::size_t at_beta = t * shape.beta_stride + s * heads + h;
      const float beta = in.beta[at_beta];
      const float* k = vectors + (1 + 2 * s) * width;
      const float* v = k + width;
      float* dk = d_vectors + (1 + 2 * s) * width;
      float* dv = dk + width;
      DeltaError(shape, S, k, v, 1, error);  // v − S k
      SumOfRows(dims, size, k, G, d_error);  // of β (v − S k)
      gradient.beta[at_beta] = SumOfVectors(size, [&](std::size_t i) {
        return hn::Mul(hn::Load(d, d_error + i), hn::Load(d, error + i));
      });
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        hn::Store(hn::Mul(hn::Set(d, beta), hn::Load(d, error + i)), d, error + i);
        hn::Store(hn::Mul(hn::Set(d, beta), hn::Load(d, d_error + i)), d, dv + i);
      }
      std::fill_n(dk, size, 0.0f);
      for (std::size_t j = 0; j < dims; ++j) {
        float* g = G + j * size;
        // S' = S + k errorᵀ, and the error depends on k by −β S k.
        dk[j] = SumOfVectors(size, [&](std::size_t i) {
          return hn::NegMulAdd(hn::Load(d, S + j * size + i), hn::Load(d, dv + i),
                               hn::Mul(hn::Load(d, g + i), hn::Load(d, error + i)));
        });
        for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
          hn::Store(hn::NegMulAdd(hn::Set(d, k[j]), hn::Load(d, dv + i), hn::Load(d, g + i)), d,
                    g + i);
        }
      }
    }
    if (in.alpha == nullptr) continue;
    const std::size_t at = t * shape.alpha_stride + h;
    gradient.alpha[at] = t == 0 ? 0.0f : SumOfVectors(M, [&](std::size_t i) {
      return hn::Mul(hn::Load(d, G + i), hn::Load(d, after(t - 1) + i));
    });
    Scale(M, in.alpha[at], G);
  }
}

void DeltaBackward(const DeltaShape& shape, const DeltaInput& in, const float* d_out,
                   float* scratch, const DeltaGradient& gradient) {
  for (std::size_t h = 0; h < shape.heads.heads; ++h) {
    DeltaBackwardHead(shape, in, h, d_out, scratch + shape.memory(), scratch, gradient);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(ScaledLogistic);
HWY_EXPORT(ScaledLogisticBackward);
HWY_EXPORT(DecayForward);
HWY_EXPORT(DecayBackward);
HWY_EXPORT(DeltaForward);
HWY_EXPORT(DeltaBackward);

void ScaledLogistic(std::size_t count, float most, float* x) {
  ForThread(HWY_DISPATCH_TABLE(ScaledLogistic))(count, most, x);
}
void ScaledLogisticBackward(std::size_t count, float most, const float* beta, float* d) {
  ForThread(HWY_DISPATCH_TABLE(ScaledLogisticBackward))(count, most, beta, d);
}
void DecayForward(std::size_t rows, std::size_t width, const float* rate, const float* s,
                  float* alpha) {
  ForThread(HWY_DISPATCH_TABLE(DecayForward))(rows, width, rate, s, alpha);
}
void DecayBackward(std::size_t rows, std::size_t width, const float* rate, const float* s,
                   const float* alpha, float* d, float* d_rate) {
  ForThread(HWY_DISPATCH_TABLE(DecayBackward))(rows, width, rate, s, alpha, d, d_rate);
}
void DeltaForward(const DeltaShape& shape, const DeltaInput& in, float* scratch, float* out) {
  ForThread(HWY_DISPATCH_TABLE(DeltaForward))(shape, in, scratch, out);
}
void DeltaBackward(const DeltaShape& shape, const DeltaInput& in, const float* d_out,
                   float* scratch, const DeltaGradient& gradient) {
  ForThread(HWY_DISPATCH_TABLE(DeltaBackward))(shape, in, d_out, scratch, gradient);
}

}  // namespace flare
#endif  // HWY_ONCE
