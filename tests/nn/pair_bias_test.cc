// Learned biases at lengths where they leave their first buckets and their threshold, against the
// scalar reference: values, and gradients of a random linear function by central differences.

#include "flare/nn/pair_bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flare/base/rng.h"
#include "support/reference/attention.h"

namespace flare {
namespace {

using reference::Vector;

// 1, 2 and 4 heads are repeated in a vector, 3 and 12 are padded.
struct BiasedHeads {
  std::size_t heads, padded, lanes;
};
constexpr BiasedHeads kHeadCounts[] = {{1, 1, 8}, {3, 4, 8}, {8, 8, 8}, {12, 16, 16}};

class Biased {
 public:
  Biased(const std::string& kind, const BiasedHeads& shape, std::uint64_t seed)
      : bias_(MakePairBias({parameters_, {}, "", 0, 1, 8}, kind, shape.heads, shape.padded,
                           shape.lanes)) {
    parameters_.Allocate();
    parameters_.Initialize(seed);
  }
  std::size_t IndexOf(const std::string& name) const {
    const auto& specs = parameters_.specs();
    std::size_t p = 0;
    while (p < specs.size() && specs[p].name != name) ++p;
    return p;
  }
  Parameters& parameters() { return parameters_; }
  PairBias& bias() { return *bias_; }
  Vector<double> Values(const std::string& name) const {
    const std::vector<float> values = parameters_.Get(IndexOf(name));
    return {values.begin(), values.end()};
  }

 private:
  Parameters parameters_;
  std::unique_ptr<PairBias> bias_;
};

TEST(DistanceBucket, GrowsFromOneDistanceToALogarithmicScaleAndEnds) {
  for (std::size_t distance = 0; distance <= 16; ++distance) {
    EXPECT_EQ(DistanceBucket(distance), distance);
  }
  for (int k = 1; k < 16; ++k) {
    const double border = 16 * std::pow(8.0, k / 16.0);
    const auto bucket = static_cast<std::size_t>(16 + k);
    EXPECT_EQ(DistanceBucket(static_cast<std::size_t>(std::ceil(border))), bucket);
    EXPECT_EQ(DistanceBucket(static_cast<std::size_t>(std::ceil(border)) - 1), bucket - 1);
  }
  for (const std::size_t distance : {128u, 129u, 100'000u}) {
    EXPECT_EQ(DistanceBucket(distance), 31u);
  }
}

class PairBiases : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, PairBiases, testing::Values("t5", "fire"),
                         [](const auto& each) { return each.param; });

TEST_P(PairBiases, AgreeWithTheReferenceInBothDirections) {
  constexpr std::size_t kPositions = 140;
  for (const BiasedHeads& shape : kHeadCounts) {
    Biased biased(GetParam(), shape, 3);
    std::vector<std::string> names;
    for (const ParameterSpec& spec : biased.parameters().specs()) names.push_back(spec.name);
    if (GetParam() == "fire") {
      // Negative, because only their sizes count; a threshold of 102.4, which is passed.
      biased.parameters().Set(biased.IndexOf("fire.c"), {-0.3f});
      biased.parameters().Set(biased.IndexOf("fire.L_multiplier"), {-0.2f});
    }
    std::map<std::string, Vector<double>> values;
    for (const std::string& name : names) values[name] = biased.Values(name);
    const auto reference = [&](std::size_t h, std::size_t i, std::size_t j) {
      const auto at = [&](const char* name) -> const Vector<double>& { return values.at(name); };
      return GetParam() == "t5"
                 ? reference::T5Bias(at("relative_attention_bias.weight"), shape.heads, h, i - j)
                 : reference::FireBias<double>(at, h, i, j);
    };

    biased.bias().ParametersChanged();
    // A string after a shorter one.
    biased.bias().Forward(5);
    const float* biases = biased.bias().Forward(kPositions);
    float* gradients = biased.bias().ClearedGradients(kPositions);
    Rng rng = Rng::For(1, "gradients");
    struct Weighed {
      std::size_t h, i, j;
      double weight;
    };
    std::vector<Weighed> weighed;
    for (std::size_t i = 0, pair = 0; i < kPositions; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++pair) {
        for (std::size_t l = 0; l < shape.lanes; ++l) {
          const std::size_t h = l % shape.padded;
          const double expected = h < shape.heads ? reference(h, i, j) : 0;
          ASSERT_NEAR(biases[pair * shape.lanes + l], expected, 1e-6) << i << ", " << j;
        }
        if (rng.Uniform() > 0.02) continue;
        const auto h = static_cast<std::size_t>(rng.UniformInt(shape.heads));
        const auto weight = static_cast<float>(rng.Uniform() - 0.3);
        for (std::size_t l = h; l < shape.lanes; l += shape.padded) {
          gradients[pair * shape.lanes + l] = weight;
        }
        weighed.push_back({h, i, j, static_cast<double>(weight)});
      }
    }
    biased.bias().Backward(kPositions);
    const auto loss = [&] {
      double sum = 0;
      for (const Weighed& one : weighed) sum += one.weight * reference(one.h, one.i, one.j);
      return sum;
    };
    for (const std::string& name : names) {
      const std::vector<float> got = biased.parameters().GetGradient(biased.IndexOf(name));
      for (std::size_t k = 0; k < got.size(); ++k) {
        const double expected = reference::Derivative(loss, values.at(name)[k]);
        EXPECT_NEAR(got[k], expected, 1e-5 + 1e-4 * std::abs(expected)) << name << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace flare
