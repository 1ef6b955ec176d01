#include "flare/nn/kernels/mamba_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flare/nn/kernels/mamba_kernels.cc"
// clang-format off: foreach_target.h, which includes this file once per target, must come first.
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

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
      hn::Store(Softplus(d, value), d, y + j);
      hn::Store(Logistic(d, value), d, x + j);
    }
  }
}

void MultiplyBy(std::size_t count, const float* HWY_RESTRICT factors, float* HWY_RESTRICT x) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Load(d, x + i), hn::Load(d, factors + i)), d, x + i);
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

// Calls block(size, n) for the states from n on, four or one at a time, so that what is carried
// from position to position stays in registers.
template <class Block>
HWY_INLINE void InBlocks(std::size_t states, Block block) {
  std::size_t n = 0;
  for (; n + 4 <= states; n += 4) block(std::integral_constant<std::size_t, 4>(), n);
  for (; n < states; ++n) block(std::integral_constant<std::size_t, 1>(), n);
}

// −A for powers of two instead of e.
HWY_INLINE hn::Vec<F> BinaryRate(F d, const float* rate) {
  return hn::Mul(hn::Load(d, rate), hn::Set(d, 1.44269504088896341f));
}

// Where the states before a chunk of a vector of channels, c, are kept: eight channels of each
// state side by side.
template <class Number>
HWY_INLINE Number* KeptStates(const ScanShape& shape, Number* kept, std::size_t chunk,
                              std::size_t c, std::size_t state) {
  return kept + ((chunk - 1) * shape.channels + c / 8 * 8) * shape.states + state * 8 + c % 8;
}

template <bool kSigned>
void ScanForwardImpl(const ScanShape shape, const ScanInput in, float* kept,
                     float* HWY_RESTRICT y) {
  const F d;
  using V = hn::Vec<F>;
  const std::size_t E = shape.channels, N = shape.states, row = shape.row_of_bc();
  for (std::size_t c = 0; c < E; c += hn::Lanes(d)) {
    const V skip = hn::Load(d, in.skip + c);
    InBlocks(N, [&](auto size, std::size_t first_state) {
      const float* rate = in.rate + first_state * E + c;
      const V rate0 = BinaryRate(d, rate);
      V rate1 = rate0, rate2 = rate0, rate3 = rate0;
      V h0 = hn::Zero(d), h1 = h0, h2 = h0, h3 = h0;
      if constexpr (size() == 4) {
        rate1 = BinaryRate(d, rate + E);
        rate2 = BinaryRate(d, rate + 2 * E);
        rate3 = BinaryRate(d, rate + 3 * E);
      }
      for (std::size_t t = 0; t < shape.n; ++t) {
        if (kept != nullptr && t > 0 && t % kScanChunk == 0) {
          float* states = KeptStates(shape, kept, t / kScanChunk, c, first_state);
          hn::Store(h0, d, states);
          if constexpr (size() == 4) {
            hn::Store(h1, d, states + 8);
            hn::Store(h2, d, states + 16);
            hn::Store(h3, d, states + 24);
          }
        }
        const V u = hn::Load(d, in.u + t * E + c), delta = hn::Load(d, in.delta + t * E + c);
        const V written = hn::Mul(u, delta);
        const float* B = in.bc + t * row + first_state;
        const float* C = B + row / 2;
        const auto advance = [&](std::size_t n, V binary_rate, V& h) HWY_ATTR {
          const V e = Exp2OfMinus(d, hn::Mul(delta, binary_rate));
          h = hn::MulAdd(Decay<kSigned>(e), h, hn::Mul(written, hn::Set(d, B[n])));
        };
        advance(0, rate0, h0);
        if constexpr (size() == 4) {
          advance(1, rate1, h1);
          advance(2, rate2, h2);
          advance(3, rate3, h3);
        }
        if (t < shape.first) continue;
        float* out = y + (t - shape.first) * E + c;
        V sum = first_state == 0 ? hn::Mul(skip, u) : hn::Load(d, out);
        sum = hn::MulAdd(h0, hn::Set(d, C[0]), sum);
        if constexpr (size() == 4) {
          sum = hn::MulAdd(h1, hn::Set(d, C[1]), sum);
          sum = hn::MulAdd(h2, hn::Set(d, C[2]), sum);
          sum = hn::MulAdd(h3, hn::Set(d, C[3]), sum);
        }
        hn::Store(sum, d, out);
      }
    });
  }
}

void ScanForward(const ScanShape& shape, const ScanInput& in, float* kept, float* y) {
  (shape.is_signed ? ScanForwardImpl<true> : ScanForwardImpl<false>)(shape, in, kept, y);
}

// Values of a vector of channels at the positions of a chunk, while its states are gone through.
struct ChunkOfChannels {
  HWY_ALIGN float e[kScanChunk * 4 * 8];        // of the states of a block, as h
  HWY_ALIGN float h[(kScanChunk + 1) * 4 * 8];  // before each position and after the last
  HWY_ALIGN float d_written[kScanChunk * 8];
  HWY_ALIGN float d_delta[kScanChunk * 8];
};

// A block of the states of a vector of channels, c, in the positions [begin, end) of a chunk:
// forth, and back. Sums over channels go into vectors, added up at the end.
template <bool kSigned, std::size_t kSize>
HWY_INLINE void ScanBackwardBlock(const ScanShape shape, const ScanInput in, const float* kept,
                                  const float* HWY_RESTRICT dy, std::size_t begin, std::size_t end,
                                  std::size_t c, std::size_t first_state, ChunkOfChannels& chunk,
                                  float* HWY_RESTRICT dh, float* HWY_RESTRICT sum_b,
                                  float* HWY_RESTRICT sum_c, const ScanGradient gradient) {
  const F d;
  using V = hn::Vec<F>;
  const std::size_t E = shape.channels, N = shape.states, row = shape.row_of_bc();
  constexpr std::size_t kStep = kSize * 8;  // between positions, in the chunk's e and h
  const float* rate = in.rate + first_state * E + c;
  {
    const V rate0 = BinaryRate(d, rate);
    V rate1 = rate0, rate2 = rate0, rate3 = rate0;
    V h0 = hn::Zero(d), h1 = h0, h2 = h0, h3 = h0;
    if constexpr (kSize == 4) {
      rate1 = BinaryRate(d, rate + E);
      rate2 = BinaryRate(d, rate + 2 * E);
      rate3 = BinaryRate(d, rate + 3 * E);
    }
    if (begin > 0) {
      const float* states = KeptStates(shape, kept, begin / kScanChunk, c, first_state);
      h0 = hn::Load(d, states);
      if constexpr (kSize == 4) {
        h1 = hn::Load(d, states + 8);
        h2 = hn::Load(d, states + 16);
        h3 = hn::Load(d, states + 24);
      }
    }
    hn::Store(h0, d, chunk.h);
    if constexpr (kSize == 4) {
      hn::Store(h1, d, chunk.h + 8);
      hn::Store(h2, d, chunk.h + 16);
      hn::Store(h3, d, chunk.h + 24);
    }
    for (std::size_t t = begin; t < end; ++t) {
      const V delta = hn::Load(d, in.delta + t * E + c);
      const V written = hn::Mul(hn::Load(d, in.u + t * E + c), delta);
      const V d_y = t < shape.first ? hn::Zero(d) : hn::Load(d, dy + (t - shape.first) * E + c);
      const float* B = in.bc + t * row + first_state;
      float* e_row = chunk.e + (t - begin) * kStep;
      float* h_row = chunk.h + (t + 1 - begin) * kStep;
      float* sum_c_row = sum_c + ((t - begin) * N + first_state) * 8;
      const auto advance = [&](std::size_t n, V binary_rate, V& h) HWY_ATTR {
        const V e = Exp2OfMinus(d, hn::Mul(delta, binary_rate));
        h = hn::MulAdd(Decay<kSigned>(e), h, hn::Mul(written, hn::Set(d, B[n])));
        hn::Store(e, d, e_row + n * 8);
        hn::Store(h, d, h_row + n * 8);
        float* of_c = sum_c_row + n * 8;
        hn::Store(hn::MulAdd(d_y, h, hn::Load(d, of_c)), d, of_c);
      };
      advance(0, rate0, h0);
      if constexpr (kSize == 4) {
        advance(1, rate1, h1);
        advance(2, rate2, h2);
        advance(3, rate3, h3);
      }
    }
  }
  float* d_rate = gradient.rate + first_state * E + c;
  float* dh_row = dh + first_state * E + c;
  V dh0 = hn::Load(d, dh_row), dh1 = dh0, dh2 = dh0, dh3 = dh0;
  V d_rate0 = hn::Load(d, d_rate), d_rate1 = d_rate0, d_rate2 = d_rate0, d_rate3 = d_rate0;
  if constexpr (kSize == 4) {
    dh1 = hn::Load(d, dh_row + E);
    dh2 = hn::Load(d, dh_row + 2 * E);
    dh3 = hn::Load(d, dh_row + 3 * E);
    d_rate1 = hn::Load(d, d_rate + E);
    d_rate2 = hn::Load(d, d_rate + 2 * E);
    d_rate3 = hn::Load(d, d_rate + 3 * E);
  }
  for (std::size_t t = end; t-- > begin;) {
    const V delta = hn::Load(d, in.delta + t * E + c);
    const V written = hn::Mul(hn::Load(d, in.u + t * E + c), delta);
    const V d_y = t < shape.first ? hn::Zero(d) : hn::Load(d, dy + (t - shape.first) * E + c);
    const float* B = in.bc + t * row + first_state;
    const float* C = B + row / 2;
    const float* e_row = chunk.e + (t - begin) * kStep;
    const float* h_row = chunk.h + (t - begin) * kStep;
    float* sum_b_row = sum_b + ((t - begin) * N + first_state) * 8;
    V d_written = hn::Load(d, chunk.d_written + (t - begin) * 8);
    V d_delta = hn::Load(d, chunk.d_delta + (t - begin) * 8);
    const auto retreat = [&](std::size_t n, V& d_h, V& d_rate_n) HWY_ATTR {
      const V e = hn::Load(d, e_row + n * 8);
      const V g = hn::MulAdd(d_y, hn::Set(d, C[n]), d_h);
      float* of_b = sum_b_row + n * 8;
      hn::Store(hn::MulAdd(g, written, hn::Load(d, of_b)), d, of_b);
      d_written = hn::MulAdd(g, hn::Set(d, B[n]), d_written);
      // The gradient of Δ·rate is −d_exponent.
      const V ge = kSigned ? hn::Mul(hn::Add(g, g), e) : hn::Mul(g, e);
      const V d_exponent = hn::Mul(ge, hn::Load(d, h_row + n * 8));
      d_delta = hn::NegMulAdd(d_exponent, hn::Load(d, rate + n * E), d_delta);
      d_rate_n = hn::NegMulAdd(d_exponent, delta, d_rate_n);
      d_h = kSigned ? hn::Sub(ge, g) : ge;
    };
    retreat(0, dh0, d_rate0);
    if constexpr (kSize == 4) {
      retreat(1, dh1, d_rate1);
      retreat(2, dh2, d_rate2);
      retreat(3, dh3, d_rate3);
    }
    hn::Store(d_written, d, chunk.d_written + (t - begin) * 8);
    hn::Store(d_delta, d, chunk.d_delta + (t - begin) * 8);
  }
  hn::Store(dh0, d, dh_row);
  hn::Store(d_rate0, d, d_rate);
  if constexpr (kSize == 4) {
    hn::Store(dh1, d, dh_row + E);
    hn::Store(dh2, d, dh_row + 2 * E);
    hn::Store(dh3, d, dh_row + 3 * E);
    hn::Store(d_rate1, d, d_rate + E);
    hn::Store(d_rate2, d, d_rate + 2 * E);
    hn::Store(d_rate3, d, d_rate + 3 * E);
  }
}

template <bool kSigned>
void ScanBackwardImpl(const ScanShape shape, const ScanInput in, const float* kept,
                      const float* HWY_RESTRICT dy, float* HWY_RESTRICT scratch,
                      const ScanGradient& gradient) {
  const F d;
  const std::size_t E = shape.channels, N = shape.states, row = shape.row_of_bc();
  const std::size_t sums = kScanChunk * N * 8;
  float* sum_b = scratch;
  float* sum_c = scratch + sums;
  float* dh = scratch + 2 * sums;  // (N, E)
  std::fill_n(dh, N * E, 0.0f);
  std::fill_n(gradient.bc, shape.n * row, 0.0f);
  ChunkOfChannels chunk;
  for (std::size_t end = shape.n; end > 0;) {
    const std::size_t begin = (end - 1) / kScanChunk * kScanChunk;
    std::fill_n(sum_b, 2 * sums, 0.0f);
    for (std::size_t c = 0; c < E; c += hn::Lanes(d)) {
      // Vectors that are shorter than eight floats share a place, one half after the other.
      const std::size_t half = c % 8;
      std::fill_n(chunk.d_written, (end - begin) * 8, 0.0f);
      std::fill_n(chunk.d_delta, (end - begin) * 8, 0.0f);
      InBlocks(N, [&](auto size, std::size_t n) {
        ScanBackwardBlock<kSigned, size()>(shape, in, kept, dy, begin, end, c, n, chunk, dh,
                                           sum_b + half, sum_c + half, gradient);
      });
      const auto skip = hn::Load(d, in.skip + c);
      auto d_skip = hn::Load(d, gradient.skip + c);
      for (std::size_t t = begin; t < end; ++t) {
        const std::size_t at = t * E + c;
        const auto u = hn::Load(d, in.u + at), delta = hn::Load(d, in.delta + at);
        const auto d_y = t < shape.first ? hn::Zero(d) : hn::Load(d, dy + at - shape.first * E);
        const auto d_written = hn::Load(d, chunk.d_written + (t - begin) * 8);
        const auto d_delta = hn::Load(d, chunk.d_delta + (t - begin) * 8);
        d_skip = hn::MulAdd(d_y, u, d_skip);
        hn::Store(hn::MulAdd(d_written, delta, hn::Mul(d_y, skip)), d, gradient.u + at);
        hn::Store(hn::MulAdd(d_written, u, d_delta), d, gradient.delta + at);
      }
      hn::Store(d_skip, d, gradient.skip + c);
    }
    for (std::size_t t = begin; t < end; ++t) {
      float* d_b = gradient.bc + t * row;
      SumsOfEight(N, sum_b + (t - begin) * N * 8, d_b);
      SumsOfEight(N, sum_c + (t - begin) * N * 8, d_b + row / 2);
    }
    end = begin;
  }
}

void ScanBackward(const ScanShape& shape, const ScanInput& in, const float* kept, const float* dy,
                  float* scratch, const ScanGradient& gradient) {
  (shape.is_signed ? ScanBackwardImpl<true> : ScanBackwardImpl<false>)(shape, in, kept, dy, scratch,
                                                                       gradient);
}

}  // namespace flare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flare {

HWY_EXPORT(ExpForward);
HWY_EXPORT(AddProducts);
HWY_EXPORT(BiasSoftplus);
HWY_EXPORT(MultiplyBy);
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
void MultiplyBy(std::size_t count, const float* factors, float* x) {
  ForThread(HWY_DISPATCH_TABLE(MultiplyBy))(count, factors, x);
}
void SiluGateForward(std::size_t rows, std::size_t width, const float* y, const float* z,
                     std::size_t z_stride, float* out) {
  ForThread(HWY_DISPATCH_TABLE(SiluGateForward))(rows, width, y, z, z_stride, out);
}
void SiluGateBackward(std::size_t rows, std::size_t width, const float* y, const float* z,
                      std::size_t z_stride, const float* d_out, float* dy, float* dz) {
  ForThread(HWY_DISPATCH_TABLE(SiluGateBackward))(rows, width, y, z, z_stride, d_out, dy, dz);
}
void ScanForward(const ScanShape& shape, const ScanInput& in, float* kept, float* y) {
  ForThread(HWY_DISPATCH_TABLE(ScanForward))(shape, in, kept, y);
}
void ScanBackward(const ScanShape& shape, const ScanInput& in, const float* kept, const float* dy,
                  float* scratch, const ScanGradient& gradient) {
  ForThread(HWY_DISPATCH_TABLE(ScanBackward))(shape, in, kept, dy, scratch, gradient);
}

}  // namespace flare
#endif  // HWY_ONCE
