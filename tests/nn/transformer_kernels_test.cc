// The parts of a transformer layer, each in both directions, against the scalar reference in
// double: gradients of a random linear function of the outputs, by central differences.

#include "flare/nn/kernels/transformer_kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/aligned.h"
#include "flare/nn/dropout.h"
#include "support/reference/model.h"

namespace flare {
namespace {

using reference::Derivative;
using reference::Vector;

FloatArray RandomFloats(std::size_t size, const char* stream) {
  Rng rng = Rng::For(0, stream);
  FloatArray values(size);
  for (float& value : values) value = static_cast<float>(3 * (rng.Uniform() - 0.5));
  return values;
}

Vector<double> ToDoubles(const FloatArray& values) { return {values.begin(), values.end()}; }

double Dot(const Vector<double>& x, const float* y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * static_cast<double>(y[i]);
  return sum;
}

void ExpectNear(const FloatArray& got, std::size_t i, double expected, const char* what) {
  EXPECT_NEAR(got[i], expected, 1e-5 + 1e-4 * std::abs(expected)) << what << "[" << i << "]";
}

TEST(LayerNorm, AgreesWithTheReferenceInBothDirections) {
  for (const std::size_t d : {8u, 24u, 32u}) {
    constexpr std::size_t kRows = 3;
    const FloatArray x = RandomFloats(kRows * d, "x"), gain = RandomFloats(d, "gain"),
                     bias = RandomFloats(d, "bias"), dy = RandomFloats(kRows * d, "dy");
    FloatArray normalized(kRows * d), deviation(kRows), y(kRows * d);
    // Gradients are added to what is there.
    FloatArray d_gain(d, 1), d_bias(d, 2), dx(kRows * d, 3);
    LayerNormForward(kRows, d, gain.data(), bias.data(), x.data(), normalized.data(),
                     deviation.data(), y.data());
    LayerNormBackward(kRows, d, gain.data(), normalized.data(), deviation.data(), dy.data(),
                      d_gain.data(), d_bias.data(), dx.data());

    auto rows = ToDoubles(x), gains = ToDoubles(gain), biases = ToDoubles(bias);
    const auto output = [&](std::size_t r) {
      return reference::LayerNorm(reference::Row(rows, r, d), gains, biases);
    };
    const auto loss = [&] {
      double sum = 0;
      for (std::size_t r = 0; r < kRows; ++r) sum += Dot(output(r), dy.data() + r * d);
      return sum;
    };
    for (std::size_t i = 0; i < kRows * d; ++i) {
      ExpectNear(y, i, output(i / d)[i % d], "y");
      ExpectNear(dx, i, 3 + Derivative(loss, rows[i]), "dx");
    }
    for (std::size_t j = 0; j < d; ++j) {
      ExpectNear(d_gain, j, 1 + Derivative(loss, gains[j]), "gain");
      ExpectNear(d_bias, j, 2 + Derivative(loss, biases[j]), "bias");
    }
  }
}

// For all queries and for the last ones only; our columns are ordered [dimension][head], the
// reference's [head][dimension].
class Attention : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

// Heads and the width of all: fewer heads than lanes, as many, and more; with vectors that are
// taken four at a time, one at a time, and both.
INSTANTIATE_TEST_SUITE_P(, Attention,
                         testing::Values(std::pair{1, 8}, std::pair{1, 40}, std::pair{2, 8},
                                         std::pair{2, 24}, std::pair{4, 8}, std::pair{4, 40},
                                         std::pair{8, 8}, std::pair{8, 24}, std::pair{8, 32},
                                         std::pair{16, 16}, std::pair{16, 80}),
                         [](const auto& each) {
                           return fmt::format("{}HeadsOf{}", each.param.first,
                                              each.param.second / each.param.first);
                         });

TEST_P(Attention, AgreesWithTheReferenceInBothDirections) {
  const auto [heads, d] = GetParam();
  constexpr std::uint32_t kSite = 5, kString = 7;
  for (const bool strict : {false, true}) {
    const auto place = [heads, d](std::size_t column) {
      const std::size_t dims = d / heads, part = column / d, i = column % d;
      return part * d + (i % dims) * heads + i / dims;
    };
    for (const double rate : {0.0, 0.3}) {
      const Dropout dropout = MakeDropout(rate, 1, 2);
      for (const std::size_t n : {1u, 2u, 5u}) {
        for (std::size_t first = 0; first < n; first += 2) {
          const FloatArray qkv = RandomFloats(n * 3 * d, "qkv"),
                           d_out = RandomFloats((n - first) * d, "d_out");
          const AttentionShape shape = {.first = first,
                                        .n = n,
                                        .heads = heads,
                                        .dims = d / heads,
                                        .strict = strict,
                                        .slopes = nullptr};
          const std::size_t pairs = CausalPairs(n) - CausalPairs(first);
          std::vector<std::uint32_t> position, string(pairs, kString);
          for (std::size_t i = CausalPairs(first); i < CausalPairs(n); ++i) {
            position.push_back(static_cast<std::uint32_t>(i));
          }
          const std::size_t lanes = shape.lanes();
          std::vector<std::uint8_t> mask(pairs * lanes / 8);
          DropoutBits(pairs, lanes, position.data(), string.data(), kSite, dropout.key,
                      dropout.threshold, mask.data());
          const std::uint8_t* bits = dropout.active() ? mask.data() : nullptr;
          FloatArray p(pairs * lanes), scratch(n * lanes), out((n - first) * d),
              without_p((n - first) * d), d_qkv(n * 3 * d, 9);
          AttentionForward(shape, qkv.data(), bits, dropout.scale(), p.data(), scratch.data(),
                           out.data());
          AttentionForward(shape, qkv.data(), bits, dropout.scale(), nullptr, scratch.data(),
                           without_p.data());
          EXPECT_EQ(out, without_p);
          AttentionBackward(shape, qkv.data(), bits, dropout.scale(), p.data(), d_out.data(),
                            scratch.data(), d_qkv.data(), nullptr);

          std::vector<Vector<double>> rows(n, Vector<double>(3 * d));
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < 3 * d; ++c) rows[i][c] = qkv[i * 3 * d + place(c)];
          }
          const reference::AttentionKind kind = {.heads = heads, .strict = strict};
          const auto loss = [&, d = d] {
            const auto attended = reference::Attention(kind, rows, dropout, kSite, kString);
            double sum = 0;
            for (std::size_t i = first; i < n; ++i) {
              for (std::size_t c = 0; c < d; ++c) {
                sum += attended[i][c] * static_cast<double>(d_out[(i - first) * d + place(c)]);
              }
            }
            return sum;
          };
          const auto expected = reference::Attention(kind, rows, dropout, kSite, kString);
          for (std::size_t i = first; i < n; ++i) {
            for (std::size_t c = 0; c < d; ++c) {
              ExpectNear(out, (i - first) * d + place(c), expected[i][c], "out");
            }
          }
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < 3 * d; ++c) {
              ExpectNear(d_qkv, i * 3 * d + place(c), Derivative(loss, rows[i][c]), "d_qkv");
            }
          }
        }
      }
    }
  }
}

// The bits of what attention computes depend on its inputs alone, whatever the memory held before
// in which it leaves its results and intermediate values.
TEST_P(Attention, DoesNotReadWhatItHasNotWritten) {
  const auto [heads, d] = GetParam();
  constexpr std::size_t kPositions = 5;
  for (const bool strict : {false, true}) {
    for (const std::size_t first : {0u, 2u, 4u}) {
      const AttentionShape shape = {.first = first,
                                    .n = kPositions,
                                    .heads = heads,
                                    .dims = d / heads,
                                    .strict = strict,
                                    .slopes = nullptr};
      const std::size_t pairs = CausalPairs(kPositions) - CausalPairs(first), lanes = shape.lanes();
      const FloatArray qkv = RandomFloats(kPositions * 3 * d, "qkv"),
                       d_out = RandomFloats((kPositions - first) * d, "d_out");
      const std::vector<std::uint8_t> mask(pairs * lanes / 8, 0xA5);
      const auto compute = [&](float before) {
        FloatArray p(pairs * lanes, before), scratch(kPositions * lanes, before),
            out((kPositions - first) * d, before), d_qkv(kPositions * 3 * d, before);
        AttentionForward(shape, qkv.data(), mask.data(), 1.5f, p.data(), scratch.data(),
                         out.data());
        std::fill(scratch.begin(), scratch.end(), before);
        AttentionBackward(shape, qkv.data(), mask.data(), 1.5f, p.data(), d_out.data(),
                          scratch.data(), d_qkv.data(), nullptr);
        return std::pair{out, d_qkv};
      };
      const auto expected = compute(0);
      EXPECT_EQ(compute(std::numeric_limits<float>::quiet_NaN()), expected);
      EXPECT_EQ(compute(-3), expected);
    }
  }
}

// Queries and keys of few heads, whose dimensions are exchanged within vectors, and back again;
// values stay.
TEST(RotateFewHeads, RotatesPairsOfDimensionsByTheAnglesOfTheirPositions) {
  constexpr std::size_t kPositions = 5;
  for (const auto& [heads, dims] :
       {std::pair<std::size_t, std::size_t>{1, 8}, {1, 24}, {2, 4}, {2, 12}, {4, 2}, {4, 6}}) {
    const std::size_t w = heads * dims;
    FloatArray angles(kPositions * 2 * w), qkv = RandomFloats(kPositions * 3 * w, "qkv");
    for (std::size_t t = 0; t < kPositions; ++t) {
      for (std::size_t c = 0; c < w; ++c) {
        const std::size_t m = c / heads;
        const double angle =
            static_cast<double>(t) *
            std::pow(10000.0, -static_cast<double>(m - m % 2) / static_cast<double>(dims));
        angles[t * 2 * w + c] = static_cast<float>(std::cos(angle));
        angles[t * 2 * w + w + c] = static_cast<float>((m % 2 == 0 ? -1 : 1) * std::sin(angle));
      }
    }
    const FloatArray before = qkv;
    RotateFewHeads(kPositions, heads, dims, 3 * w, angles.data(), 1, qkv.data());
    for (std::size_t t = 0; t < kPositions; ++t) {
      for (std::size_t c = 0; c < 3 * w; ++c) {
        const std::size_t part = c / w, h = c % w % heads, m = c % w / heads;
        Vector<double> head(dims);
        for (std::size_t i = 0; i < dims; ++i) {
          head[i] = before[t * 3 * w + part * w + i * heads + h];
        }
        const double expected = part == 2 ? head[m] : reference::Rotated(head.data(), m, dims, t);
        EXPECT_NEAR(qkv[t * 3 * w + c], expected, 1e-6) << heads << " heads, column " << c;
      }
    }
    RotateFewHeads(kPositions, heads, dims, 3 * w, angles.data(), -1, qkv.data());
    for (std::size_t i = 0; i < qkv.size(); ++i) EXPECT_NEAR(qkv[i], before[i], 1e-6);
  }
}

// relu and dropout of the feed-forward block, and the residual connection's dropout.
TEST(FeedForward, AgreesWithTheReferenceInBothDirections) {
  constexpr std::uint32_t kSite = 3, kString = 4;
  constexpr std::size_t kRows = 3, kWidth = 16;
  for (const double rate : {0.0, 0.3}) {
    const Dropout dropout = MakeDropout(rate, 1, 2);
    const std::vector<std::uint32_t> position = {0, 1, 2}, string(kRows, kString);
    std::vector<std::uint8_t> mask(kRows * kWidth / 8);
    DropoutBits(kRows, kWidth, position.data(), string.data(), kSite, dropout.key,
                dropout.threshold, mask.data());
    const std::uint8_t* bits = dropout.active() ? mask.data() : nullptr;
    const FloatArray x = RandomFloats(kRows * kWidth, "x"), bias = RandomFloats(kWidth, "bias"),
                     dy = RandomFloats(kRows * kWidth, "dy"),
                     residual = RandomFloats(kRows * kWidth, "r");
    FloatArray y = x, dx = dy, sum = residual;
    BiasReluDropout(kRows, kWidth, bias.data(), bits, dropout.scale(), y.data());
    ReluDropoutBackward(kRows * kWidth, y.data(), dropout.scale(), dx.data());
    BiasDropoutAdd(kRows, kWidth, bias.data(), x.data(), bits, dropout.scale(), sum.data());

    auto values = ToDoubles(x);
    const auto dropped = [&](std::size_t r, bool relu) {
      auto row = reference::Row(values, r, kWidth);
      for (std::size_t j = 0; j < kWidth; ++j) {
        row[j] += static_cast<double>(bias[j]);
        if (relu && row[j] < 0) row[j] = 0;
      }
      return reference::Drop(row, dropout, kSite, kString, r);
    };
    const auto loss = [&] {
      double total = 0;
      for (std::size_t r = 0; r < kRows; ++r) total += Dot(dropped(r, true), &dy[r * kWidth]);
      return total;
    };
    for (std::size_t i = 0; i < kRows * kWidth; ++i) {
      const std::size_t r = i / kWidth, j = i % kWidth;
      ExpectNear(y, i, dropped(r, true)[j], "y");
      ExpectNear(dx, i, Derivative(loss, values[i]), "dx");
      ExpectNear(sum, i, static_cast<double>(residual[i]) + dropped(r, false)[j], "sum");
    }
  }
}

}  // namespace
}  // namespace flare
