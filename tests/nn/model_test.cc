#include "flare/nn/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "flare/base/rng.h"
#include "flare/nn/optimizer.h"
#include "support/reference/model.h"
#include "support/variants.h"

namespace flare {
namespace {

// Strings of mixed lengths, the empty one included, with random labels, states and next-symbol
// sets.
Batch RandomBatch(std::size_t vocabulary, const std::vector<std::size_t>& lengths,
                  std::uint64_t seed) {
  Batch batch;
  batch.vocabulary = vocabulary;
  Rng rng = Rng::For(seed, "model-test");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::vector<std::uint32_t> string(lengths[i]);
    for (auto& token : string) token = static_cast<std::uint32_t>(rng.UniformInt(vocabulary));
    batch.Add(string, i % 3 != 1);
    for (std::size_t t = 0; t <= lengths[i]; ++t) {
      batch.states.push_back(
          static_cast<std::uint32_t>(rng.UniformInt(ArchitectureVariant::kStates)));
    }
    batch.first_set.push_back(batch.next_symbols.size() / batch.words_per_set());
    if (batch.labels.back() == 0) continue;
    for (std::size_t t = 0; t <= lengths[i]; ++t) {
      for (std::size_t w = 0; w < batch.words_per_set(); ++w)
        batch.next_symbols.push_back(rng.Bits());
    }
  }
  return batch;
}

template <class T>
reference::Weights<T> WeightsOf(const Model& model) {
  reference::Weights<T> weights;
  for (std::size_t p = 0; p < model.parameters().specs().size(); ++p) {
    const auto values = model.parameters().Get(p);
    weights[model.parameters().specs()[p].name] = {values.begin(), values.end()};
  }
  return weights;
}

struct Case {
  ModelConfig config;
  std::vector<double> coefficients;
  double dropout;
  std::vector<std::size_t> lengths;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << ArchitectureVariant{c.config.architecture, c.config.options}.name()
       << " d=" << c.config.hidden << " L=" << c.config.layers << " V=" << c.config.vocabulary;
  for (std::size_t i = 0; i < c.coefficients.size(); ++i) {
    *out << " " << c.config.terms[i] << "=" << c.coefficients[i];
  }
  *out << " dropout=" << c.dropout << " strings=" << c.lengths.size();
  if (!c.config.recognizes) *out << " without rec";
  if (c.config.reads_eos) *out << " with EOS";
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  std::vector<std::size_t> many;  // more than a group, with ties and gaps
  for (std::size_t i = 0; i < 40; ++i) many.push_back((i * 7) % 9);
  const std::vector<std::size_t> few = {3, 0, 5, 1, 5, 2};
  constexpr std::size_t small = 5, large = 21;
  for (const ArchitectureVariant& variant : ArchitectureVariants()) {
    const auto config = [&](std::size_t V, std::size_t L, std::size_t d,
                            std::vector<std::string> terms) {
      return variant.Config(V, L, d, std::move(terms));
    };
    if (!variant.options.empty()) {
      cases.push_back({config(3, 2, small, {}), {}, 0.25, few});
      cases.push_back({config(2, 1, 32, {"lm", "ns"}), {0.5, 2}, 0, few});
      cases.push_back({config(3, 2, large, {"lm", "ns", "st"}), {0.2, 0.1, 0.3}, 0.1, few});
      continue;
    }
    cases.push_back({config(2, 1, small, {}), {}, 0, {4}});
    cases.push_back({config(2, 1, small, {}), {}, 0, {0}});
    cases.push_back({config(3, 2, small, {}), {}, 0, few});
    cases.push_back({config(2, 2, 32, {}), {}, 0.25, many});
    cases.push_back({config(3, 2, large, {"lm"}), {0.7}, 0, few});
    cases.push_back({config(3, 2, small, {"ns"}), {1.3}, 0, few});
    cases.push_back({config(3, 3, large, {"lm", "ns"}), {0.5, 2}, 0.1, few});
    cases.push_back({config(70, 2, small, {"lm", "ns"}), {0.5, 2}, 0.4, few});
    cases.push_back({config(2, 2, large, {"lm", "ns"}), {0.2, 0.1}, 0.25, many});
    cases.push_back({config(2, 2, 32, {"lm", "ns"}), {0.2, 0.1}, 0.25, few});
    cases.push_back({config(3, 2, small, {"lm", "ns"}), {0, 0.7}, 0, few});
    cases.push_back({config(2, 2, large, {"st"}), {0.6}, 0.1, few});
    cases.push_back({config(2, 2, small, {"st_last"}), {0.6}, 0.1, few});
    cases.push_back({config(2, 2, small, {"st", "st_last"}), {0.2, 0.6}, 0, many});
    // Without recognition.
    for (const std::vector<std::string>& terms :
         std::vector<std::vector<std::string>>{{"lm"}, {"ns"}, {"st"}, {"st_last"}, {"lm", "st"}}) {
      cases.push_back(
          {config(3, 2, small, terms), std::vector<double>(terms.size(), 0.8), 0.1, few});
      cases.back().config.recognizes = false;
    }
    // With an EOS that is read.
    for (const std::vector<std::string>& terms :
         std::vector<std::vector<std::string>>{{}, {"st_last"}, {"lm", "ns"}}) {
      cases.push_back(
          {config(3, 2, small, terms), std::vector<double>(terms.size(), 0.8), 0.1, few});
      cases.back().config.reads_eos = true;
    }
    cases.push_back({config(2, 2, small, {"lm", "ns", "st"}), {0.2, 0.1, 0.4}, 0.25, many});
    // So wide that weights are multiplied in panels.
    const std::string& name = variant.architecture;
    if (name == "rnn" || name == "lstm" || name == "transformer") {
      cases.push_back({config(2, 1, name == "rnn" ? 192 : 96, {}), {}, 0.1, few});
    }
  }
  return cases;
}

// A copy's parts would refer to the parameters of the other.
static_assert(!std::is_copy_constructible_v<Model> && !std::is_move_constructible_v<Model>);

class ModelGradients : public testing::TestWithParam<Case> {};

// The loss and every element of its gradient against the scalar reference in double.
TEST_P(ModelGradients, AgreeWithTheReference) {
  const Case& c = GetParam();
  Model model(c.config);
  model.Initialize(1);
  // Larger weights than the initial ones, so that no nonlinearity hides.
  Rng rng = Rng::For(2, "weights");
  for (std::size_t p = 0; p < model.parameters().specs().size(); ++p) {
    auto values = model.parameters().Get(p);
    for (float& value : values) value += static_cast<float>(0.6 * (rng.Uniform() - 0.5));
    model.parameters().Set(p, values);
  }
  model.ParametersChanged();
  const Batch batch = RandomBatch(c.config.vocabulary, c.lengths, 3);
  const Dropout dropout = MakeDropout(c.dropout, 4, 5);
  const Losses& losses = model.Gradients(batch, c.coefficients, dropout);

  reference::Tape tape;
  reference::Weights<reference::Traced> weights;
  for (const auto& [name, values] : WeightsOf<double>(model)) {
    for (const double value : values) weights[name].push_back(tape.Variable(value));
  }
  const reference::Traced loss =
      reference::Loss<reference::Traced>(c.config, weights, batch, c.coefficients, dropout);
  EXPECT_NEAR(losses.total, loss.value(), 2e-5);
  const std::vector<double> expected = tape.GradientOf(loss);
  for (std::size_t p = 0; p < model.parameters().specs().size(); ++p) {
    const std::string& name = model.parameters().specs()[p].name;
    const auto gradient = model.parameters().GetGradient(p);
    const auto& elements = weights.at(name);
    // Rounding is that of the largest terms of the sums.
    double largest = 1;
    for (const auto& element : elements) {
      largest = std::max(largest, std::abs(expected[element.at()]));
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double wanted = expected[elements[i].at()];
      ASSERT_NEAR(gradient[i], wanted, 3e-5 * largest + 1e-3 * std::abs(wanted))
          << name << "[" << i << "]";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ModelGradients, testing::ValuesIn(Cases()));

// A part that is added has a scalar reference and a gradient case, or one of these fails.
TEST(GradientCases, AreThereForEveryTermWithAndWithoutRecognition) {
  const auto cases = Cases();
  for (const LossTermInfo& term : LossTermCatalog()) {
    EXPECT_TRUE(reference::TermLosses<double>().contains(term.name)) << term.name;
    for (const bool recognizes : {true, false}) {
      EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
        return c.config.recognizes == recognizes && c.config.terms.size() == 1 &&
               c.config.terms[0] == term.name && c.coefficients[0] != 0;
      })) << term.name;
    }
  }
}

TEST(GradientCases, AreThereForEveryOptionValue) {
  const auto cases = Cases();
  for (const Architecture& architecture : Architectures()) {
    for (const Option& option : architecture.options) {
      // Every word, and some number besides the default.
      std::vector<std::string> missing = option.values;
      std::erase(missing, option.default_value);
      bool has_other = false;
      for (const Case& c : cases) {
        const auto value = c.config.options.find(option.name);
        if (c.config.architecture != architecture.name || value == c.config.options.end()) continue;
        std::erase(missing, value->second);
        has_other = has_other || value->second != option.default_value;
      }
      EXPECT_TRUE(missing.empty() && has_other)
          << architecture.name << ": no gradient case for " << option.name
          << (missing.empty() ? "" : " = " + missing[0])
          << "; add it to ArchitectureVariants in tests/support/variants.h";
    }
  }
}

constexpr double kCoefficients[] = {0.3, 0.4};

class EveryArchitecture : public testing::TestWithParam<ArchitectureVariant> {};
std::string VariantName(const testing::TestParamInfo<ArchitectureVariant>& parameter) {
  return parameter.param.name();
}

// Padding is invisible: all of it is zero, before and after training.
TEST_P(EveryArchitecture, PaddingStaysZero) {
  Model model(GetParam().Config(3, 2, 13, {"lm", "ns"}));
  model.Initialize(0);
  Optimizer adam(model.parameters(), {});
  const Batch batch = RandomBatch(3, {3, 0, 5, 1}, 1);
  for (std::uint64_t step = 0; step < 5; ++step) {
    model.Gradients(batch, kCoefficients, MakeDropout(0.1, 0, step));
    adam.Step(0.01, model.parameters());
    model.ParametersChanged();
  }
  std::vector<bool> is_element(model.parameters().flat_size(), false);
  for (const ParameterSpec& spec : model.parameters().specs()) {
    for (std::size_t i = 0; i < spec.num_elements(); ++i) {
      const std::size_t at = spec.IndexOf(i / spec.shape.back(), i % spec.shape.back());
      EXPECT_FALSE(is_element[at]) << spec.name;
      is_element[at] = true;
    }
  }
  for (std::size_t i = 0; i < is_element.size(); ++i) {
    if (!is_element[i]) ASSERT_EQ(model.parameters().values()[i], 0.0f) << i;
  }
}

// Up to rounding: libxsmm sums in a different order for different numbers of rows, and with AVX-512
// in a different order than without.
TEST_P(EveryArchitecture, AStringsLogitDoesNotDependOnItsBatch) {
  Model model(GetParam().Config(2, 3, 16));
  model.Initialize(0);
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 75; ++i) lengths.push_back((i * 11) % 23);
  const Batch batch = RandomBatch(2, lengths, 1);
  std::vector<float> together, alone;
  model.Logits(batch, together);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Batch one;
    one.vocabulary = 2;
    one.Add(batch.string(i), true);
    model.Logits(one, alone);
    EXPECT_NEAR(alone[0], together[i], 4e-6) << i;
  }
}

TEST_P(EveryArchitecture, SameSeedSameBits) {
  const auto train = [&] {
    Model model(GetParam().Config(2, 2, 16, {"lm", "ns"}));
    model.Initialize(7);
    Optimizer adam(model.parameters(), {});
    const Batch batch = RandomBatch(2, {3, 9, 0, 5, 1, 12}, 1);
    for (std::uint64_t step = 0; step < 10; ++step) {
      model.Gradients(batch, kCoefficients, MakeDropout(0.1, 7, step));
      adam.Step(0.01, model.parameters());
      model.ParametersChanged();
    }
    return model.parameters().values();
  };
  EXPECT_EQ(train(), train());
}

TEST_P(EveryArchitecture, TargetsAgree) {
  const Batch batch = RandomBatch(3, {9, 0, 5, 5, 1, 12, 3, 2, 7}, 1);
  const std::vector<double> coefficients = {0.3, 0.4, 0.5};
  const auto gradients = [&](Target target) {
    Model model(GetParam().Config(3, 2, 21, {"lm", "ns", "st"}), target);
    model.Initialize(3);
    model.Gradients(batch, coefficients, MakeDropout(0.1, 5, 0));
    return model.parameters().gradients();
  };
  const FloatArray native = gradients(Target::kNative), portable = gradients(Target::kPortable);
  for (std::size_t i = 0; i < native.size(); ++i) {
    ASSERT_NEAR(native[i], portable[i], 2e-6 + 1e-4 * std::abs(native[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, EveryArchitecture,
                         testing::ValuesIn(ArchitectureVariants()), VariantName);

}  // namespace
}  // namespace flare
