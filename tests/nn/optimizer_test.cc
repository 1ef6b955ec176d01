#include "flare/nn/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/nn/safetensors.h"
#include "support/paths.h"
#include "support/reference/optimizers.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// A matrix that decays, a bias that does not, and rates with a rule of their own.
struct OptimizerFixture {
  OptimizerFixture() {
    matrix = parameters.Add(MatrixSpec("matrix", 5, 3));
    bias = parameters.Add(VectorSpec("bias", 5));
    ParameterSpec spec = MatrixSpec("rates", 2, 2);
    spec.Draw([](std::size_t, Rng&) { return 0.0; });
    rates = parameters.Add(spec);
    parameters.Allocate();
  }

  void SetGradient(std::size_t p, std::size_t i, double g) {
    const ParameterSpec& spec = parameters.specs()[p];
    const std::size_t columns = spec.shape.back();
    parameters.gradients()[spec.IndexOf(i / columns, i % columns)] = static_cast<float>(g);
  }

  Parameters parameters;
  std::size_t matrix = 0, bias = 0, rates = 0;
};

class EveryOptimizer : public testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizer, FollowsItsScalarReference) {
  ASSERT_TRUE(reference::OptimizerSteps().contains(GetParam())) << "no scalar reference";
  const auto step = reference::OptimizerSteps().at(GetParam());
  for (const bool decays_all : {false, true}) {
    const OptimizerConfig config{.name = GetParam(),
                                 .beta1 = 0.85,
                                 .beta2 = 0.97,
                                 .epsilon = 1e-4,
                                 .momentum = 0.6,
                                 .rmsprop_decay = 0.9,
                                 .weight_decay = 0.2,
                                 .decays_all = decays_all,
                                 .clip_norm = 3};
    OptimizerFixture f;
    Optimizer optimizer(f.parameters, config);
    std::vector<std::vector<reference::Optimized>> expected;
    for (const ParameterSpec& spec : f.parameters.specs()) {
      std::vector<float> values;
      expected.emplace_back();
      for (std::size_t i = 0; i < spec.num_elements(); ++i) {
        values.push_back(0.25f * static_cast<float>(i) - 1);
        expected.back().push_back({.x = static_cast<double>(values.back())});
      }
      f.parameters.Set(expected.size() - 1, values);
    }
    for (int t = 1; t <= 100; ++t) {
      const double size = t % 3 == 0 ? 2 : 0.3;  // above and below the clipping norm
      std::vector<std::vector<double>> gradients;
      double norm = 0;
      for (std::size_t p = 0; p < expected.size(); ++p) {
        gradients.emplace_back();
        for (std::size_t i = 0; i < expected[p].size(); ++i) {
          const auto g = static_cast<float>(
              size * std::sin(static_cast<double>(t) + static_cast<double>(7 * p + i)));
          f.SetGradient(p, i, g);
          gradients.back().push_back(g);
          norm += static_cast<double>(g) * static_cast<double>(g);
        }
      }
      norm = std::sqrt(norm);
      const double rate = 0.01 / t;
      EXPECT_NEAR(optimizer.Step(rate, f.parameters), norm, 1e-5 * norm);
      for (std::size_t p = 0; p < expected.size(); ++p) {
        const double decay = p == f.matrix || decays_all ? config.weight_decay : 0;
        const auto values = f.parameters.Get(p);
        for (std::size_t i = 0; i < expected[p].size(); ++i) {
          const double clipped = norm > 3 ? gradients[p][i] * 3 / norm : gradients[p][i];
          step(config, rate, decay, t, clipped, expected[p][i]);
          ASSERT_NEAR(values[i], expected[p][i].x, 5e-6) << "step " << t << ", " << p << ", " << i;
        }
      }
    }
  }
}

TEST_P(EveryOptimizer, ContinuesFromItsState) {
  const auto gradient = [](OptimizerFixture& f, int t) {
    for (std::size_t i = 0; i < 15; ++i) f.SetGradient(f.matrix, i, std::cos(t + 0.1 * double(i)));
  };
  const OptimizerConfig config{.name = GetParam(), .momentum = 0.5, .weight_decay = 0.1};
  OptimizerFixture whole, broken;
  Optimizer one(whole.parameters, config), other(broken.parameters, config);
  for (int t = 0; t < 10; ++t) {
    gradient(whole, t);
    one.Step(0.01, whole.parameters);
    Optimizer resumed(broken.parameters, config);
    std::vector<std::vector<float>> state;
    for (const FloatArray& values : other.state()) state.emplace_back(values.begin(), values.end());
    resumed.Restore(other.steps(), state);
    gradient(broken, t);
    resumed.Step(0.01, broken.parameters);
    state.clear();
    for (const FloatArray& values : resumed.state()) {
      state.emplace_back(values.begin(), values.end());
    }
    other.Restore(resumed.steps(), state);
  }
  EXPECT_EQ(whole.parameters.values(), broken.parameters.values());
}

std::vector<std::string> OptimizerNames() {
  std::vector<std::string> names;
  for (const OptimizerInfo& optimizer : OptimizerCatalog()) names.push_back(optimizer.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(, EveryOptimizer, testing::ValuesIn(OptimizerNames()),
                         [](const auto& each) { return each.param; });

// 200 steps from the same weights with the same gradients. `make golden` makes the files again.
class GoldenOptimizer : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenOptimizer, TracksPyTorchForTwoHundredSteps) {
  const TensorFile file = ParseSafetensors(ReadFile(GetParam().string()), GetParam().string());
  const auto number = [&](const char* key, double otherwise) {
    return file.metadata.contains(key) ? std::stod(file.metadata.at(key)) : otherwise;
  };
  Parameters parameters;
  const std::size_t weight = parameters.Add(MatrixSpec("weight", 5, 3));
  const std::size_t bias = parameters.Add(VectorSpec("bias", 5));
  parameters.Allocate();
  parameters.Set(weight, file.tensors.at("weight").Floats());
  parameters.Set(bias, file.tensors.at("bias").Floats());
  const OptimizerConfig usual;
  Optimizer optimizer(parameters, {.name = file.metadata.at("optimizer"),
                                   .beta1 = number("beta1", usual.beta1),
                                   .beta2 = number("beta2", usual.beta2),
                                   .epsilon = number("epsilon", usual.epsilon),
                                   .momentum = number("momentum", 0),
                                   .rmsprop_decay = number("rmsprop_decay", usual.rmsprop_decay),
                                   .weight_decay = number("weight_decay", 0),
                                   .decays_all = number("decays_all", 0) != 0,
                                   .clip_norm = number("clip_norm", 0)});
  const auto gradients = file.tensors.at("gradients").Floats();
  const auto weights = file.tensors.at("after.weight").Floats();
  const auto biases = file.tensors.at("after.bias").Floats();
  const auto steps = gradients.size() / 20;
  ASSERT_EQ(steps, 200u);
  const auto every = static_cast<std::size_t>(number("every", 0));
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        const std::size_t at = j < 3 ? parameters.specs()[weight].IndexOf(i, j)
                                     : parameters.specs()[bias].IndexOf(0, i);
        parameters.gradients()[at] = gradients[20 * t + 4 * i + j];
      }
    }
    const double rate = number("learning_rate", 0) *
                        (1 - static_cast<double>(t) / (2 * static_cast<double>(steps)));
    optimizer.Step(rate, parameters);
    if ((t + 1) % every != 0) continue;
    const std::size_t k = (t + 1) / every - 1;
    const auto w = parameters.Get(weight), b = parameters.Get(bias);
    for (std::size_t i = 0; i < w.size(); ++i) {
      ASSERT_NEAR(w[i], weights[15 * k + i], 5e-6) << "step " << t + 1 << ", weight " << i;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      ASSERT_NEAR(b[i], biases[5 * k + i], 5e-6) << "step " << t + 1 << ", bias " << i;
    }
  }
}

std::vector<fs::path> OptimizerFiles() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SourceDir()) / "tests" / "golden" / "optimizers")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}
INSTANTIATE_TEST_SUITE_P(PyTorch, GoldenOptimizer, testing::ValuesIn(OptimizerFiles()),
                         [](const auto& file) {
                           std::string name = file.param.stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GoldenOptimizers, AreThereForEveryOptimizer) {
  for (const OptimizerInfo& optimizer : OptimizerCatalog()) {
    const auto files = OptimizerFiles();
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const fs::path& file) {
      return ParseSafetensors(ReadFile(file.string()), "").metadata.at("optimizer") ==
             optimizer.name;
    })) << optimizer.name;
  }
}

TEST(OptimizerCatalog, BeginsWithTheOneOfThePaper) {
  EXPECT_EQ(OptimizerCatalog().front().name, "adam");
  EXPECT_EQ(FindOptimizer("adamw")->name, "adamw");
  EXPECT_EQ(FindOptimizer("Adam"), nullptr);
}

}  // namespace
}  // namespace flare
