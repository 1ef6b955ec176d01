#include "flare/nn/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/architectures.h"
#include "flare/nn/parameters.h"
#include "support/reference/model.h"
#include "support/variants.h"

namespace flare {
namespace {

// An encoder alone, with weights large enough for every nonlinearity to show, and a group of
// strings, the longest first.
struct Fixture {
  Fixture(const ArchitectureVariant& variant, std::size_t layers,
          const std::vector<std::size_t>& lengths)
      : config(variant.Config(3, layers, 16)), encoder(Make(config, parameters)) {
    parameters.Allocate();
    parameters.Initialize(1);
    Rng rng = Rng::For(2, "encoder-test");
    for (std::size_t p = 0; p < parameters.specs().size(); ++p) {
      auto values = parameters.Get(p);
      for (float& value : values) value += static_cast<float>(0.6 * (rng.Uniform() - 0.5));
      parameters.Set(p, values);
    }
    encoder->ParametersChanged();
    batch.vocabulary = 3;
    for (const std::size_t length : lengths) {
      std::vector<std::uint32_t> string(length);
      for (auto& token : string) token = static_cast<std::uint32_t>(rng.UniformInt(3));
      batch.Add(string, true);
    }
    std::vector<std::uint32_t> order(lengths.size());
    std::iota(order.begin(), order.end(), 0u);
    group.Assign(batch, order);
  }

  static std::unique_ptr<Encoder> Make(const ModelConfig& config, Parameters& parameters) {
    const Architecture& architecture = *FindArchitecture(config.architecture);
    return architecture.make({.vocabulary = config.vocabulary,
                              .layers = config.layers,
                              .hidden = config.hidden,
                              .options = CompleteOptions(architecture, config.options, "")},
                             parameters);
  }

  ModelConfig config;
  Parameters parameters;
  std::unique_ptr<Encoder> encoder;
  Batch batch;
  Group group;
};

class EveryEncoder : public testing::TestWithParam<ArchitectureVariant> {};
std::string VariantOf(const testing::TestParamInfo<ArchitectureVariant>& parameter) {
  return parameter.param.name();
}

// Up to rounding, as products of different numbers of rows are summed in a different order.
TEST_P(EveryEncoder, InferenceGivesTheLastHiddenVectors) {
  Fixture f(GetParam(), 3, {37, 37, 17, 16, 9, 8, 7, 1, 0, 0});
  const std::size_t width = f.encoder->width();
  const float* hidden = f.encoder->Forward(f.group, {}, Encoder::Positions::kAll);
  std::vector<float> expected;
  for (std::size_t i = 0; i < f.group.num_strings(); ++i) {
    const float* row = hidden + f.group.Row(i, f.group.length(i)) * width;
    expected.insert(expected.end(), row, row + width);
  }
  const float* last = f.encoder->Infer(f.group);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(last[i], expected[i], 2e-6) << "string " << i / width << ", unit " << i % width;
  }
}

// What is left out if only the last positions are wanted is not needed: the same hidden vectors and
// gradients, under the same dropout.
TEST_P(EveryEncoder, LastPositionsAreThoseOfAll) {
  for (const double rate : {0.0, 0.3}) {
    Fixture f(GetParam(), 2, {19, 7, 7, 2, 1, 0, 0});
    const Dropout dropout = MakeDropout(rate, 5, 6);
    const std::size_t width = f.encoder->width();
    const auto run = [&](Encoder::Positions wanted, std::vector<float>& last) {
      f.parameters.gradients().assign(f.parameters.flat_size(), 0);
      const float* hidden = f.encoder->Forward(f.group, dropout, wanted);
      FloatArray d_hidden(f.group.num_rows() * width, 0);
      Rng rng = Rng::For(3, "gradient");
      for (std::size_t i = 0; i < f.group.num_strings(); ++i) {
        const std::size_t at = f.group.Row(i, f.group.length(i)) * width;
        last.insert(last.end(), hidden + at, hidden + at + width);
        for (std::size_t j = 0; j < width; ++j) {
          d_hidden[at + j] = static_cast<float>(rng.Uniform() - 0.5);
        }
      }
      f.encoder->Backward(f.group, dropout, wanted, d_hidden.data());
      return f.parameters.gradients();
    };
    std::vector<float> last_of_all, last;
    const FloatArray expected = run(Encoder::Positions::kAll, last_of_all);
    const FloatArray gradients = run(Encoder::Positions::kLast, last);
    for (std::size_t i = 0; i < last.size(); ++i) ASSERT_NEAR(last[i], last_of_all[i], 2e-6) << i;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      ASSERT_NEAR(gradients[i], expected[i], 4e-6 + 2e-5 * std::abs(expected[i])) << i;
    }
  }
}

// One layer, without heads: the hidden vectors at every position, and the gradients of a random
// linear function of all of them.
TEST_P(EveryEncoder, OneLayerAgreesWithTheReference) {
  for (const double rate : {0.0, 0.3}) {
    Fixture f(GetParam(), 1, {6, 3, 1, 0});
    const Dropout dropout = MakeDropout(rate, 5, 6);
    const std::size_t width = f.encoder->width(), d = f.config.hidden;
    const float* hidden = f.encoder->Forward(f.group, dropout, Encoder::Positions::kAll);
    FloatArray d_hidden(f.group.num_rows() * width);
    Rng rng = Rng::For(3, "gradient");
    for (float& value : d_hidden) value = static_cast<float>(rng.Uniform() - 0.5);
    const FloatArray factors = d_hidden;

    reference::Tape tape;
    reference::Weights<reference::Traced> weights;
    for (std::size_t p = 0; p < f.parameters.specs().size(); ++p) {
      for (const float value : f.parameters.Get(p)) {
        weights[f.parameters.specs()[p].name].push_back(tape.Variable(value));
      }
    }
    reference::Traced sum;
    for (std::size_t i = 0; i < f.group.num_strings(); ++i) {
      const auto expected = reference::Hidden(f.config, weights, f.batch.string(i),
                                              static_cast<std::uint32_t>(i), dropout);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        for (std::size_t j = 0; j < d; ++j) {
          const std::size_t at = f.group.Row(i, t) * width + j;
          EXPECT_NEAR(hidden[at], expected[t][j].value(), 5e-6)
              << "row " << f.group.Row(i, t) << ", unit " << j;
          sum += factors[at] * expected[t][j];
        }
      }
    }

    f.encoder->Backward(f.group, dropout, Encoder::Positions::kAll, d_hidden.data());
    const std::vector<double> expected = tape.GradientOf(sum);
    for (std::size_t p = 0; p < f.parameters.specs().size(); ++p) {
      const std::string& name = f.parameters.specs()[p].name;
      const auto gradient = f.parameters.GetGradient(p);
      const auto& elements = weights.at(name);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const double wanted = expected[elements[i].at()];
        ASSERT_NEAR(gradient[i], wanted, 3e-5 + 1e-4 * std::abs(wanted)) << name << "[" << i << "]";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryEncoder, testing::ValuesIn(ArchitectureVariants()),
                         VariantOf);

}  // namespace
}  // namespace flare
