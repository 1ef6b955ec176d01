// How weights start by reference: the rules of the sources, by their moments and bounds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "flare/nn/model.h"

namespace flare {
namespace {

class Initial {
 public:
  Initial(ModelConfig config, Parameters::Scheme scheme) : model_(config) {
    model_.Initialize(1, scheme);
  }
  std::vector<float> Of(const std::string& name) const {
    const auto& specs = model_.parameters().specs();
    for (std::size_t p = 0; p < specs.size(); ++p) {
      if (specs[p].name == name) return model_.parameters().Get(p);
    }
    ADD_FAILURE() << "no parameter " << name;
    return {0};
  }
  FloatArray values() { return model_.parameters().values(); }

 private:
  Model model_;
};

float Largest(const std::vector<float>& x) {
  float largest = 0;
  for (const float value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

double Deviation(const std::vector<float>& x) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * value;
  return std::sqrt(squares / static_cast<double>(x.size()));
}

// Fills the interval ±limit, and does not leave it.
void ExpectUniform(const std::vector<float>& x, double limit) {
  EXPECT_LE(Largest(x), limit * 1.0001);
  EXPECT_GT(Largest(x), limit * 0.9);
}

bool AreAll(const std::vector<float>& x, float value) {
  return std::all_of(x.begin(), x.end(), [&](float element) { return element == value; });
}

constexpr auto kReference = Parameters::Scheme::kReference;

TEST(ReferenceInitialization, MambaStartsAsInItsSource) {
  const Initial model({.architecture = "mamba", .vocabulary = 2, .layers = 3, .hidden = 32},
                      kReference);
  const std::string mixer = "encoder.layers.1.mixer.";
  EXPECT_TRUE(AreAll(model.Of(mixer + "D"), 1));
  ExpectUniform(model.Of(mixer + "conv1d.weight"), 0.5);
  ExpectUniform(model.Of(mixer + "conv1d.bias"), 0.5);
  ExpectUniform(model.Of(mixer + "in_proj.weight"), 1 / std::sqrt(32.0));
  ExpectUniform(model.Of(mixer + "bc_proj.weight"), 1 / std::sqrt(64.0));
  ExpectUniform(model.Of(mixer + "dt_proj.weight"), 1 / std::sqrt(2.0));
  ExpectUniform(model.Of(mixer + "out_proj.weight"), 1 / std::sqrt(64.0 * 3));
  ExpectUniform(model.Of("embedding.weight"), 0.1);
}

TEST(ReferenceInitialization, MambaOutIsSmallerWithFeedForwardBlocks) {
  const Initial model({.architecture = "mamba",
                       .vocabulary = 2,
                       .layers = 3,
                       .hidden = 32,
                       .options = {{"feed_forward", "2"}}},
                      kReference);
  ExpectUniform(model.Of("encoder.layers.0.mixer.out_proj.weight"), 1 / std::sqrt(64.0 * 6));
}

TEST(ReferenceInitialization, DeltaNetStartsAsInItsSource) {
  const Initial model({.architecture = "deltanet",
                       .vocabulary = 2,
                       .layers = 2,
                       .hidden = 32,
                       .options = {{"gate", "true"}}},
                      kReference);
  const std::string mixer = "encoder.layers.0.mixer.";
  for (const char* name :
       {"qkv_proj.weight", "beta_proj.weight", "gate_proj.weight", "out_proj.weight"}) {
    ExpectUniform(model.Of(mixer + name), 1 / std::sqrt(32.0));
  }
  ExpectUniform(model.Of(mixer + "conv1d.weight"), 0.5);
}

TEST(ReferenceInitialization, XlstmStartsAsInItsSource) {
  const Initial model({.architecture = "mlstm", .vocabulary = 2, .layers = 2, .hidden = 64},
                      kReference);
  const std::string mixer = "encoder.layers.1.mixer.";
  EXPECT_NEAR(Deviation(model.Of(mixer + "qkv_proj.weight")), std::sqrt(2 / (5 * 64.0)), 3e-3);
  EXPECT_NEAR(Deviation(model.Of(mixer + "out_proj.weight")), 2 / (2 * std::sqrt(64.0)), 6e-3);
  EXPECT_TRUE(AreAll(model.Of(mixer + "gates_proj.weight"), 0));
  const auto bias = model.Of(mixer + "gates_proj.bias");  // of i, then of f
  EXPECT_NE(bias[0], bias[1]);
  EXPECT_FLOAT_EQ(bias[4], 3);
  EXPECT_FLOAT_EQ(bias[7], 6);

  const Initial slstm({.architecture = "slstm", .vocabulary = 2, .layers = 2, .hidden = 16},
                      kReference);
  EXPECT_TRUE(AreAll(slstm.Of("rnn.weight_hh_l0"), 0));
  EXPECT_GT(slstm.Of("rnn.bias_l0")[16], 4.9f);  // b_f of the first unit
}

TEST(ReferenceInitialization, IsThePapersForItsArchitectures) {
  for (const char* name : {"rnn", "lstm", "gru", "transformer"}) {
    const ModelConfig config{.architecture = name, .vocabulary = 2, .layers = 2, .hidden = 16};
    EXPECT_EQ(Initial(config, kReference).values(),
              Initial(config, Parameters::Scheme::kPaper).values())
        << name;
  }
}

}  // namespace
}  // namespace flare
