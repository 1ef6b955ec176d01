// How many parameters a model has, as its parts declare them, and the sizes that budgets lead to.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/nn/architectures.h"
#include "flare/nn/model.h"

namespace flare {
namespace {

struct Known {
  const char* architecture;
  std::size_t vocabulary, layers, hidden;
  std::size_t parameters;
};

// By hand, from the equations: with d the hidden size, embeddings |Σ|·d; per layer of G gates
// G(2d² + d) + d; of the transformer |Σ|·d + d and 12d² + 13d, and 2d at the end; d + 1 for
// recognition. Of mamba with E = 2d, N = 16, r = ⌈d/16⌉: |Σ|·d + d, per layer 2d for the norm and
// 2E·d + 5E + r·E + 2N·E + E·r + E + E·N + E + E·d, and 2d at the end.
const Known kKnown[] = {
    {"rnn", 2, 5, 79, 63438},         {"rnn", 1, 1, 8, 161},
    {"rnn", 9, 3, 40, 10241},         {"rnn", 300, 17, 128, 599937},
    {"lstm", 2, 5, 40, 65121},        {"lstm", 1, 1, 8, 569},
    {"lstm", 9, 3, 40, 39401},        {"lstm", 300, 17, 128, 2277633},
    {"gru", 2, 5, 46, 64539},         {"gru", 1, 1, 8, 433},
    {"gru", 9, 3, 40, 29681},         {"gru", 300, 17, 128, 1718401},
    {"transformer", 2, 5, 32, 63713}, {"transformer", 1, 1, 8, 913},
    {"transformer", 9, 3, 40, 59681}, {"transformer", 300, 17, 128, 3409537},
    {"mamba", 2, 5, 40, 73041},       {"mamba", 1, 1, 8, 1353},
};

TEST(NumParameters, IsThatOfTheEquations) {
  for (const Known& k : kKnown) {
    ModelConfig config = {k.architecture, k.vocabulary, k.layers, k.hidden};
    EXPECT_EQ(NumParameters(config), k.parameters) << k.architecture;
    config.terms = {"lm"};
    EXPECT_EQ(NumParameters(config), k.parameters + k.hidden) << k.architecture;
    config.terms = {"ns"};
    EXPECT_EQ(NumParameters(config), k.parameters + (k.vocabulary + 1) * (k.hidden + 1))
        << k.architecture;
  }
}

TEST(NumParameters, IsThatOfTheModel) {
  for (const Architecture& architecture : Architectures()) {
    const ModelConfig config = {architecture.name, 3, 2, 16, {"lm", "ns"}};
    EXPECT_EQ(NumParameters(config), Model(config).parameters().Count(false)) << architecture.name;
  }
}

// What a run's files call `parameters`: without what the auxiliary terms add.
TEST(NumParameters, BudgetedOnesDoNotDependOnTheLoss) {
  for (const Architecture& architecture : Architectures()) {
    ModelConfig config = {architecture.name, 3, 2, 16};
    const std::size_t alone = NumParameters(config);
    for (const std::vector<std::string>& terms :
         {std::vector<std::string>{}, {"lm"}, {"ns"}, {"lm", "ns"}}) {
      config.terms = terms;
      EXPECT_EQ(Model(config).parameters().Count(true), alone) << architecture.name;
    }
  }
}

TEST(HiddenSizeForBudget, GivesTheSizesOfThePaper) {
  const auto size = [](const char* architecture, std::size_t budget) {
    return HiddenSizeForBudget({.architecture = architecture, .vocabulary = 2}, budget);
  };
  EXPECT_EQ(size("rnn", 64'000), 79u);
  EXPECT_EQ(size("lstm", 64'000), 40u);
  EXPECT_EQ(size("transformer", 64'000), 32u);
}

TEST(HiddenSizeForBudget, IsTheClosestWithoutTerms) {
  for (const Architecture& architecture : Architectures()) {
    const std::size_t step = SizeStep(architecture, {});
    const auto distance = [&](std::size_t hidden, std::size_t budget) {
      const auto count = static_cast<double>(NumParameters({architecture.name, 2, 5, hidden}));
      return std::abs(count - static_cast<double>(budget));
    };
    for (const std::size_t budget : {1'000u, 32'000u, 128'000u, 1'000'000u}) {
      ModelConfig config = {architecture.name, 2, 5};
      const std::size_t d = HiddenSizeForBudget(config, budget);
      EXPECT_LE(distance(d, budget), distance(d + step, budget));
      if (d > step) EXPECT_LT(distance(d, budget), distance(d - step, budget));
      config.terms = {"lm", "ns"};
      EXPECT_EQ(HiddenSizeForBudget(config, budget), d);
    }
    EXPECT_EQ(HiddenSizeForBudget({architecture.name, 2, 5}, 0), step);
  }
}

TEST(HiddenSizeForBudget, TieGoesToTheSmallerSize) {
  const ModelConfig config = {"rnn", 1, 1};
  const auto count = [](std::size_t hidden) { return NumParameters({"rnn", 1, 1, hidden}); };
  ASSERT_EQ(count(8), 161u);
  ASSERT_EQ(count(9), 199u);
  EXPECT_EQ(HiddenSizeForBudget(config, 180), 8u);
  EXPECT_EQ(HiddenSizeForBudget(config, 181), 9u);
}

// Models of many sizes are declared, and none is made: milliseconds, where one would take 800 MB.
TEST(HiddenSizeForBudget, TakesNoTime) {
  for (const Architecture& architecture : Architectures()) {
    const Stopwatch watch;
    EXPECT_GT(HiddenSizeForBudget({architecture.name, 2, 5}, 100'000'000), 1'000u);
    EXPECT_LT(watch.Seconds(), 1) << architecture.name;
  }
}

}  // namespace
}  // namespace flare
