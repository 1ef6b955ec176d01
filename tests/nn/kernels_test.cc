#include <Random123/philox.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#ifdef FLARE_LIBXSMM
#include <libxsmm.h>
#endif

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/nn/aligned.h"
#include "flare/nn/kernels/dropout_kernels.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/kernels/optimizer_kernels.h"
#include "flare/nn/kernels/transformer_kernels.h"
#include "flare/nn/model.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

FloatArray Random(std::size_t size, const char* stream, double scale = 2) {
  Rng rng = Rng::For(0, stream);
  FloatArray values(size);
  for (float& value : values) value = static_cast<float>(scale * (rng.Uniform() - 0.5));
  return values;
}

TEST(Gemm, AgreesWithLoopsForAnyNumberOfRows) {
  for (const std::size_t n : {8u, 16u, 40u, 80u}) {
    for (const std::size_t k : {3u, 8u, 40u}) {
      for (const bool accumulate : {false, true}) {
        const Gemm gemm(n, k, k, n, accumulate);
        GemmTransposed transposed(n, k, k, n, n);
        for (const std::size_t m : {1u, 2u, 7u, 31u, 32u, 33u, 100u}) {
          const FloatArray A = Random(m * k, "a"), B = Random(k * n, "b"), D = Random(m * n, "d");
          FloatArray C = Random(m * n, "c"), G = Random(k * n, "g");
          FloatArray expected = C, expected_g = G;
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              double sum = accumulate ? static_cast<double>(C[i * n + j]) : 0;
              for (std::size_t p = 0; p < k; ++p) {
                sum += static_cast<double>(A[i * k + p]) * static_cast<double>(B[p * n + j]);
              }
              expected[i * n + j] = static_cast<float>(sum);
            }
          }
          for (std::size_t p = 0; p < k; ++p) {
            for (std::size_t j = 0; j < n; ++j) {
              auto sum = static_cast<double>(G[p * n + j]);
              for (std::size_t i = 0; i < m; ++i) {
                sum += static_cast<double>(A[i * k + p]) * static_cast<double>(D[i * n + j]);
              }
              expected_g[p * n + j] = static_cast<float>(sum);
            }
          }
          gemm(m, A.data(), B.data(), C.data());
          transposed(m, A.data(), D.data(), G.data());
          for (std::size_t i = 0; i < m * n; ++i) ASSERT_NEAR(C[i], expected[i], 2e-5);
          for (std::size_t i = 0; i < k * n; ++i) ASSERT_NEAR(G[i], expected_g[i], 4e-5);
        }
      }
    }
  }
}

// A wide product in panels, and a wide gradient in tiles, are those of narrow ones side by side,
// and of the whole, to the bit.
TEST(Gemm, InPanelsHasTheBitsOfTheWhole) {
  for (const Target target : {Target::kAvx2, Target::kPortable}) {
    if (!HasTarget(target)) continue;
    for (const auto& [n, k] : {std::pair{264u, 136u}, {200u, 256u}, {64u, 520u}, {320u, 128u}}) {
      const Gemm whole(n, k, k, n, false, target);
      const Gemm panels(n, k, k, n, false, target, Gemm::Layout::kPanelsIfLarge);
      ASSERT_TRUE(panels.InPanels() || n == 64);
      GemmTransposed tiles(n, k, k, n, n, target);
      const FloatArray B = Random(k * n, "b");
      FloatArray arranged(k * n);
      panels.Arrange(B.data(), arranged.data());
      for (const std::size_t m : {1u, 5u, 8u, 31u, 32u, 47u, 64u, 600u}) {
        const FloatArray A = Random(m * k, "a"), D = Random(m * n, "d");
        FloatArray C(m * n), expected(m * n), G = Random(k * n, "g"), expected_g = G;
        whole(m, A.data(), B.data(), expected.data());
        panels(m, A.data(), arranged.data(), C.data());
        EXPECT_EQ(C, expected) << n << " " << k << " " << m;
        tiles(m, A.data(), D.data(), G.data());
        // Eight rows of the gradient at a time are too small for tiles.
        for (std::size_t p = 0; p < k; p += 8) {
          GemmTransposed rows(n, 8, k, n, n, target);
          rows(m, A.data() + p, D.data(), expected_g.data() + p * n);
        }
        EXPECT_EQ(G, expected_g) << n << " " << k << " " << m;
        // Several sets of rows at once, as one after the other.
        tiles(m, A.data(), D.data(), expected_g.data());
        tiles(1, A.data(), D.data(), expected_g.data());
        const std::array<RowsOfBoth, 2> parts = {
            {{m, A.data(), D.data()}, {1, A.data(), D.data()}}};
        tiles(parts, G.data());
        EXPECT_EQ(G, expected_g) << n << " " << k << " " << m;
      }
    }
  }
}

TEST(DropoutBits, ArePhilox) {
  const DropoutKey key{{123, 456}};
  const std::vector<std::uint32_t> position = {0, 5, 9, 9, 1, 2, 3, 4, 100, 7},
                                   string = {0, 0, 1, 2, 3, 3, 3, 3, 70000, 8};
  constexpr std::size_t kWidth = 24;
  constexpr std::uint32_t kThreshold = 20000;
  std::vector<std::uint8_t> bits(position.size() * kWidth / 8);
  DropoutBits(position.size(), kWidth, position.data(), string.data(), 6, key, kThreshold,
              bits.data());
  const r123::Philox4x32 philox;
  for (std::size_t r = 0; r < position.size(); ++r) {
    for (std::uint32_t b = 0; b < kWidth / 8; ++b) {
      const auto block = philox({{b, position[r], string[r], 6}}, {{123, 456}});
      std::uint8_t expected = 0;
      for (std::size_t u = 0; u < 8; ++u) {
        const std::uint32_t half = u % 2 == 0 ? block[u / 2] & 0xFFFF : block[u / 2] >> 16;
        if (half >= kThreshold) expected = static_cast<std::uint8_t>(expected | 1u << u);
      }
      ASSERT_EQ(bits[r * kWidth / 8 + b], expected);
    }
  }
}

TEST(Dropout, KeepsTheShareItPromises) {
  const Dropout dropout = MakeDropout(0.1, 0, 0);
  constexpr std::size_t kRows = 2000, kWidth = 80;
  std::vector<std::uint32_t> position(kRows), string(kRows, 3);
  for (std::size_t r = 0; r < kRows; ++r) position[r] = static_cast<std::uint32_t>(r);
  std::vector<std::uint8_t> bits(kRows * kWidth / 8);
  DropoutBits(kRows, kWidth, position.data(), string.data(), 0, dropout.key, dropout.threshold,
              bits.data());
  std::size_t kept = 0;
  for (const std::uint8_t byte : bits) kept += static_cast<std::size_t>(__builtin_popcount(byte));
  // 160,000 draws: five standard deviations are 0.004.
  EXPECT_NEAR(static_cast<double>(kept) / (kRows * kWidth), 0.9, 0.004);
  EXPECT_NEAR(dropout.scale(), 1 / 0.9, 1e-4);
}

TEST(SumOfSquares, IsTheSumOfSquares) {
  for (const std::size_t size : {8u, 512u, 520u, 5000u}) {
    const FloatArray x = Random(size, "squares");
    double expected = 0;
    for (const float value : x) expected += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_NEAR(SumOfSquares(size, x.data()), expected, 1e-5 * expected);
  }
}

// Adam by its definition (Kingma & Ba 2015), with clipping, in double.
TEST(Adam, FollowsItsDefinition) {
  Parameters parameters;
  const std::size_t p = parameters.Add(VectorSpec("x", 5));
  parameters.Allocate();
  parameters.Set(p, {1, -2, 3, 0, 0.5});
  Optimizer adam(parameters, {});
  std::vector<double> x = {1, -2, 3, 0, 0.5}, m(5, 0), v(5, 0);
  for (int t = 1; t <= 20; ++t) {
    const double size = t % 3 == 0 ? 10 : 0.3;  // above and below the clipping norm
    std::vector<double> g(5);
    double norm = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      g[i] = size * std::sin(static_cast<double>(t) + static_cast<double>(i));
      parameters.gradient(p)[i] = static_cast<float>(g[i]);
      norm += g[i] * g[i];
    }
    norm = std::sqrt(norm);
    EXPECT_NEAR(adam.Step(0.01, parameters), norm, 1e-5 * norm);
    for (std::size_t i = 0; i < 5; ++i) {
      const double clipped = norm > 5 ? g[i] * 5 / norm : g[i];
      m[i] = 0.9 * m[i] + 0.1 * clipped;
      v[i] = 0.999 * v[i] + 0.001 * clipped * clipped;
      x[i] -= 0.01 * (m[i] / (1 - std::pow(0.9, t))) /
              (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
    }
    const auto values = parameters.Get(p);
    for (std::size_t i = 0; i < 5; ++i) ASSERT_NEAR(values[i], x[i], 2e-6) << t;
  }
}

// The first step is the learning rate, whatever the gradient: what is left is rounding. With betas
// rounded before 1−β is taken, as in version 0.1, it is longer by 6·10⁻⁶.
TEST(Adam, TakesAFirstStepOfTheLearningRate) {
  for (const bool rounded : {false, true}) {
    Parameters parameters;
    const std::size_t p = parameters.Add(VectorSpec("x", 3));
    parameters.Allocate();
    parameters.Set(p, {0, 0, 0});
    const std::vector<float> gradients = {1, -0.3f, 0.01f};
    std::copy(gradients.begin(), gradients.end(), parameters.gradient(p));
    OptimizerConfig config;
    config.rounded_betas = rounded;
    Optimizer adam(parameters, config);
    adam.Step(0.01, parameters);
    const auto values = parameters.Get(p);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const double size = std::abs(static_cast<double>(gradients[i]));
      const double expected = 0.01 * size / (size + 1e-8);
      const double longer = std::abs(static_cast<double>(values[i])) / expected - 1;
      EXPECT_NEAR(longer, rounded ? 6.4e-6 : 0, 5e-7) << gradients[i];
    }
  }
}

// A short training run on every target: the same up to rounding between targets, and to the bit
// within one.
TEST(Target, RunsAgree) {
  const auto train = [](const std::string& architecture, Target target) {
    Model model({.architecture = architecture,
                 .vocabulary = 2,
                 .layers = 2,
                 .hidden = 16,
                 .terms = {"lm"},
                 .options = {}},
                target);
    model.Initialize(0);
    Optimizer adam(model.parameters(), {});
    Batch batch;
    batch.vocabulary = 2;
    for (std::uint32_t i = 0; i < 12; ++i) {
      batch.Add(std::vector<std::uint32_t>(i, i % 2), i % 3 == 0);
    }
    double loss = 0;
    for (std::uint64_t step = 0; step < 5; ++step) {
      loss = model.Gradients(batch, std::vector{0.5}, MakeDropout(0.1, 0, step)).total;
      adam.Step(0.01, model.parameters());
      model.ParametersChanged();
    }
    // Not the parameters: where a gradient is zero but for rounding, as that of the keys' biases
    // is, Adam turns the rounding into steps of full size, which change nothing.
    std::vector<float> logits;
    model.Logits(batch, logits);
    return std::pair(loss, logits);
  };
  for (const char* architecture : {"rnn", "lstm", "gru", "transformer"}) {
    const auto [loss, logits] = train(architecture, Target::kAvx2);
    for (const Target target : {Target::kNative, Target::kPortable, Target::kAvx2}) {
      const auto [other_loss, other_logits] = train(architecture, target);
      EXPECT_NEAR(loss, other_loss, 1e-5) << architecture;
      for (std::size_t i = 0; i < logits.size(); ++i) {
        ASSERT_NEAR(logits[i], other_logits[i], 2e-4) << architecture;
      }
      if (target == Target::kAvx2) EXPECT_EQ(logits, other_logits) << architecture;
      // Without fused multiplication there is more rounding: equal bits would mean that the kernels
      // of the former target were used again.
      if (target == Target::kPortable) EXPECT_NE(logits, other_logits) << architecture;
    }
  }
  EXPECT_EQ(ParseTarget("portable"), Target::kPortable);
  EXPECT_THROW(ParseTarget("sse9"), InputError);
}

#ifdef FLARE_LIBXSMM
TEST(Target, NativeIsNamedAfterWhatItIs) {
  const Gemm native(8, 8, 8, 8, false, Target::kNative);
  EXPECT_TRUE(NativeTargetName().ends_with(libxsmm_get_target_arch())) << NativeTargetName();
  EXPECT_GE(libxsmm_get_target_archid(), LIBXSMM_X86_AVX2);
}
#endif

#if HWY_ARCH_X86
TEST(Target, Avx2IsRefusedWhereItIsNot) {
  const ModelConfig config = {.architecture = "rnn", .vocabulary = 2, .layers = 1, .hidden = 8};
  hwy::DisableTargets(HWY_AVX2);
  EXPECT_THROW(Model(config, Target::kAvx2), InputError);
  hwy::DisableTargets(0);
  Model(config, Target::kAvx2);
}
#endif

TEST(Initialization, FollowsAppendixD) {
  Model model({.architecture = "transformer",
               .vocabulary = 3,
               .layers = 2,
               .hidden = 32,
               .terms = {"lm", "ns"},
               .options = {}});
  model.Initialize(0);
  for (std::size_t p = 0; p < model.parameters().specs().size(); ++p) {
    const ParameterSpec& spec = model.parameters().specs()[p];
    const auto values = model.parameters().Get(p);
    float least = values[0], most = values[0];
    for (const float value : values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (spec.name.find("norm") != std::string::npos) {
      const float expected = spec.name.ends_with("weight") ? 1.0f : 0.0f;
      EXPECT_TRUE(least == expected && most == expected) << spec.name;
    } else if (spec.name.find("head.bias") != std::string::npos) {
      EXPECT_TRUE(least == 0 && most == 0) << spec.name;
    } else {
      double limit = 0.1;
      if (spec.name.find("head.weight") != std::string::npos) {
        limit = std::sqrt(6.0 / static_cast<double>(spec.shape[0] + spec.shape[1]));
      }
      EXPECT_GE(least, -limit) << spec.name;
      EXPECT_LE(most, limit) << spec.name;
      EXPECT_GT(most - least, limit) << spec.name;
    }
  }
}

}  // namespace
}  // namespace flare
