#include "flare/nn/kernels/mlstm_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/mlstm_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "flare/nn/kernels/dispatch.h"
#include "flare/nn/kernels/head_sums-inl.h"
#include "flare/nn/kernels/lanes-inl.h"
#include "flare/nn/kernels/softplus-inl.h"
#include "flare/nn/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flare::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The largest size of a head, padded.
constexpr std::size_t kMostHeadSize = 8192;

void MLstmGates(std::size_t n, std::size_t width, const float* HWY_RESTRICT bias,
                float* HWY_RESTRICT gates, float* HWY_RESTRICT slope, float* HWY_RESTRICT bound) {
  const F d;
  for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
    auto m = hn::Zero(d);
    for (std::size_t t = 0; t < n; ++t) {
      float* at = gates + t * 2 * width + j;
      const auto i = hn::Add(hn::Load(d, at), hn::Load(d, bias + j));
      const auto f = hn::Neg(hn::Add(hn::Load(d, at + width), hn::Load(d, bias + width + j)));
      const auto kept = hn::Sub(m, Softplus(d, f));  // log σ(f̃) + m_{t−1}
      m = hn::Max(kept, i);
      hn::Store(ExpOfMinus(d, hn::Sub(m, i)), d, at);
      hn::Store(ExpOfMinus(d, hn::Sub(m, kept)), d, at + width);
      hn::Store(Logistic(d, f), d, slope + t * width + j);
      hn::Store(hn::Exp(d, hn::Neg(m)), d, bound + t * width + j);
    }
  }
}

// C and n of the next position, with `scaled` the scaled key.
HWY_INLINE void Write(const MLstmShape& shape, const float* HWY_RESTRICT v, float i, float f,
                      const float* HWY_RESTRICT scaled, const float* before, float* after) {
  const F d;
  const std::size_t size = shape.heads.padded(), dims = shape.heads.dims;
  for (std::size_t l = 0; l < size; l += hn::Lanes(d)) {
    const auto written = hn::Mul(hn::Set(d, i), hn::Load(d, v + l));
    for (std::size_t j = 0; j < dims; ++j) {
      const std::size_t at = j * size + l;
      hn::Store(hn::MulAdd(hn::Set(d, scaled[j]), written,
                           hn::Mul(hn::Set(d, f), hn::Load(d, before + at))),
                d, after + at);
    }
    const std::size_t at = dims * size + l;
    hn::Store(hn::MulAdd(hn::Set(d, i), hn::Load(d, scaled + l),
                         hn::Mul(hn::Set(d, f), hn::Load(d, before + at))),
              d, after + at);
  }
}

HWY_INLINE void ScaledKey(const MLstmShape& shape, const float* HWY_RESTRICT k,
                          float* HWY_RESTRICT scaled) {
  const F d;
  const auto scale = hn::Set(d, 1.0f / std::sqrt(static_cast<float>(shape.heads.dims)));
  for (std::size_t l = 0; l < shape.heads.padded(); l += hn::Lanes(d)) {
    hn::Store(hn::Mul(scale, hn::Load(d, k + l)), d, scaled + l);
  }
}

HWY_INLINE float Dot(std::size_t size, const float* HWY_RESTRICT x, const float* HWY_RESTRICT y) {
  const F d;
  return SumOfVectors(
      size, [&](std::size_t i) { return hn::Mul(hn::Load(d, x + i), hn::Load(d, y + i)); });
}

void MLstmForward(const MLstmShape& shape, const MLstmInput& in, float* HWY_RESTRICT scratch,
                  float* HWY_RESTRICT out) {
  const F d;
  const std::size_t size = shape.heads.padded(), dims = shape.heads.dims;
  const std::size_t width = shape.heads.width();
  HWY_ALIGN float scaled[kMostHeadSize];
  std::fill_n(scratch, shape.forward_scratch(), 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    const float* gates = in.gates + t * 2 * shape.gate_width;
    for (std::size_t h = 0; h < shape.heads.heads; ++h) {
      const float* q = in.qkv + t * shape.row() + h * size;
      float* state = scratch + h * shape.state();
      ScaledKey(shape, q + width, scaled);
      Write(shape, q + 2 * width, gates[h], gates[shape.gate_width + h], scaled, state, state);
      if (t < shape.first) continue;
      const float weight = std::max(std::abs(Dot(size, state + shape.memory(), q)),
                                    in.bound[t * shape.gate_width + h]);
      float* read = out + (t - shape.first) * width + h * size;
      SumOfRows(dims, size, q, state, read);
      for (std::size_t l = 0; l < size; l += hn::Lanes(d)) {
        hn::Store(hn::Div(hn::Load(d, read + l), hn::Set(d, weight)), d, read + l);
      }
    }
  }
}

// Handles one head. `states` gets C and n after every position; G is the gradient of both.
void MLstmBackwardHead(const MLstmShape& shape, const MLstmInput& in, std::size_t h,
                       const float* HWY_RESTRICT d_out, float* HWY_RESTRICT G,
                       float* HWY_RESTRICT states, float* HWY_RESTRICT d_qkv,
                       float* HWY_RESTRICT d_gates) {
  const F d;
  const std::size_t size = shape.heads.padded(), dims = shape.heads.dims, S = shape.state();
  const std::size_t width = shape.heads.width(), M = shape.memory();
  const float scale = 1.0f / std::sqrt(static_cast<float>(dims));
  HWY_ALIGN float scaled[kMostHeadSize];
  HWY_ALIGN float read[kMostHeadSize];
  const auto gate = [&](std::size_t t, std::size_t which) {
    return in.gates[(t * 2 + which) * shape.gate_width + h];
  };

  // The zeros that everything begins with are in G until it is needed.
  std::fill_n(G, S, 0.0f);
  for (std::size_t t = 0; t < shape.n; ++t) {
    const float* k = in.qkv + t * shape.row() + width + h * size;
    ScaledKey(shape, k, scaled);
    Write(shape, k + width, gate(t, 0), gate(t, 1), scaled, t == 0 ? G : states + (t - 1) * S,
          states + t * S);
  }

  for (std::size_t t = shape.n; t-- > 0;) {
    const float* q = in.qkv + t * shape.row() + h * size;
    const float* v = q + 2 * width;
    float* dq = d_qkv + t * shape.row() + h * size;
    float *dk = dq + width, *dv = dq + 2 * width;
    const float* state = states + t * S;
    std::fill_n(dq, size, 0.0f);
    std::fill_n(dk, size, 0.0f);
    if (t >= shape.first) {
      const float* d_h = d_out + (t - shape.first) * width + h * size;
      const float along = Dot(size, state + M, q);
      const float bound = in.bound[t * shape.gate_width + h];
      const float weight = std::max(std::abs(along), bound);
      SumOfRows(dims, size, q, state, read);
      // h = read/weight: the weight's gradient is −(dh·h)/weight, and reaches n·q above the bound.
      const float d_weight = -Dot(size, d_h, read) / (weight * weight);
      const float d_along = std::abs(along) <= bound ? 0 : along < 0 ? -d_weight : d_weight;
      for (std::size_t l = 0; l < size; l += hn::Lanes(d)) {
        hn::Store(hn::Div(hn::Load(d, d_h + l), hn::Set(d, weight)), d, read + l);
      }
      for (std::size_t j = 0; j < dims; ++j) {
        dq[j] = Dot(size, state + j * size, read) + d_along * state[M + j];
      }
      AddOuterProduct(dims, size, q, read, G);
      for (std::size_t j = 0; j < dims; ++j) G[M + j] += d_along * q[j];
    }
    const float i = gate(t, 0), f = gate(t, 1);
    ScaledKey(shape, q + width, scaled);
    SumOfRows(dims, size, scaled, G, dv);
    // i v·(G k) + i k·(gradient of n)
    d_gates[t * 2 * shape.gate_width + h] = i * (Dot(size, dv, v) + Dot(size, scaled, G + M));
    for (std::size_t l = 0; l < size; l += hn::Lanes(d)) {
      hn::Store(hn::Mul(hn::Set(d, i), hn::Load(d, dv + l)), d, dv + l);
    }
    for (std::size_t j = 0; j < dims; ++j) {
      dk[j] = scale * i * (Dot(size, G + j * size, v) + G[M + j]);
    }
    d_gates[(t * 2 + 1) * shape.gate_width + h] =
        t == 0 ? 0.0f : in.slope[t * shape.gate_width + h] * f * Dot(S, G, state - S);
    for (std::size_t l = 0; l < S; l += hn::Lanes(d)) {
      hn::Store(hn::Mul(hn::Set(d, f), hn::Load(d, G + l)), d, G + l);
    }
  }
}

void MLstmBackward(const MLstmShape& shape, const MLstmInput& in, const float* d_out,
                   float* scratch, float* d_qkv, float* d_gates) {
  for (std::size_t h = 0; h < shape.heads.heads; ++h) {
    MLstmBackwardHead(shape, in, h, d_out, scratch, scratch + shape.state(), d_qkv, d_gates);
  }
}

void OutputGateForward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT bias,
                       const float* HWY_RESTRICT h, float* HWY_RESTRICT o,
                       float* HWY_RESTRICT out) {
  const F d;
  for (std::size_t r = 0; r < rows; ++r, h += width, o += width, out += width) {
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const auto gate = Logistic(d, hn::Add(hn::Load(d, o + j), hn::Load(d, bias + j)));
      hn::Store(gate, d, o + j);
      hn::Store(hn::Mul(gate, hn::Load(d, h + j)), d, out + j);
    }
  }
}

void OutputGateBackward(std::size_t rows, std::size_t width, const float* HWY_RESTRICT h,
                        const float* HWY_RESTRICT o, const float* HWY_RESTRICT d_out,
                        float* HWY_RESTRICT dh, float* HWY_RESTRICT d_o) {
  const F d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < rows * width; i += hn::Lanes(d)) {
    const auto gate = hn::Load(d, o + i), g = hn::Load(d, d_out + i);
    hn::Store(hn::Mul(hn::Mul(g, hn::Load(d, h + i)), hn::Mul(gate, hn::Sub(one, gate))), d,
              d_o + i);
    hn::Store(hn::Mul(g, gate), d, dh + i);
  }
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(MLstmGates);
HWY_EXPORT(MLstmForward);
HWY_EXPORT(MLstmBackward);
HWY_EXPORT(OutputGateForward);
HWY_EXPORT(OutputGateBackward);

void MLstmGates(std::size_t n, std::size_t width, const float* bias, float* gates, float* slope,
                float* bound) {
  ForThread(HWY_DISPATCH_TABLE(MLstmGates))(n, width, bias, gates, slope, bound);
}
void MLstmForward(const MLstmShape& shape, const MLstmInput& in, float* scratch, float* out) {
  ForThread(HWY_DISPATCH_TABLE(MLstmForward))(shape, in, scratch, out);
}
void MLstmBackward(const MLstmShape& shape, const MLstmInput& in, const float* d_out,
                   float* scratch, float* d_qkv, float* d_gates) {
  ForThread(HWY_DISPATCH_TABLE(MLstmBackward))(shape, in, d_out, scratch, d_qkv, d_gates);
}
void OutputGateForward(std::size_t rows, std::size_t width, const float* bias, const float* h,
                       float* o, float* out) {
  ForThread(HWY_DISPATCH_TABLE(OutputGateForward))(rows, width, bias, h, o, out);
}
void OutputGateBackward(std::size_t rows, std::size_t width, const float* h, const float* o,
                        const float* d_out, float* dh, float* d_o) {
  ForThread(HWY_DISPATCH_TABLE(OutputGateBackward))(rows, width, h, o, d_out, dh, d_o);
}

}  // namespace flare
#endif  // HWY_ONCE
