#include "flare/training/stopping.h"

#include <gtest/gtest.h>

#include <vector>

#include "flare/base/error.h"
#include "flare/runs/result.h"

namespace flare {
namespace {

RunSettings Config() {
  RunSettings config;
  config.loss = "rec";
  config.select = "recognition_cross_entropy";
  return config;
}

Figures CrossEntropy(double value) { return {{"recognition_cross_entropy", value}}; }

TEST(StoppingRules, EndsAfterTenCheckpointsWithoutADecrease) {
  Stopping stopping(Config());
  EXPECT_TRUE(stopping.Observe(CrossEntropy(0.5)));
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(stopping.reason(), "");
    // A tie is not a decrease.
    EXPECT_FALSE(stopping.Observe(CrossEntropy(i % 2 == 0 ? 0.5 : 0.7)));
  }
  EXPECT_EQ(stopping.reason(), kNoImprovement);
}

TEST(StoppingRules, NeverEndsWithoutPatience) {
  RunSettings config = Config();
  config.stopping_patience = 0;
  Stopping stopping(config);
  for (int i = 0; i < 100; ++i) stopping.Observe(CrossEntropy(0.5));
  EXPECT_EQ(stopping.reason(), "");
}

TEST(StoppingRules, SelectsTheHighestOfAFigureThatIsBetterHigh) {
  RunSettings config = Config();
  config.select = "accuracy";
  Stopping stopping(config);
  EXPECT_TRUE(stopping.Observe({{"accuracy", 0.5}}));
  EXPECT_FALSE(stopping.Observe({{"accuracy", 0.4}}));
  EXPECT_TRUE(stopping.Observe({{"accuracy", 0.6}}));
  EXPECT_EQ(stopping.state().best, 0.6);
  EXPECT_THROW(stopping.Observe({{"f1", 0.6}}), InputError);
}

TEST(StoppingRules, EndsWhenAFigureHasHeldForSoManyCheckpoints) {
  RunSettings config = Config();
  config.stop_at = "accuracy >= 0.9";
  config.stop_for = 3;
  Stopping stopping(config);
  const std::vector<double> accuracies = {0.9, 0.95, 0.89, 0.9, 1, 0.9};
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    EXPECT_EQ(stopping.reason(), "") << i;
    stopping.Observe({{"recognition_cross_entropy", 1.0}, {"accuracy", accuracies[i]}});
  }
  EXPECT_EQ(stopping.reason(), kTargetReached);
}

TEST(StoppingRules, ContinuesFromItsState) {
  RunSettings config = Config();
  config.stop_at = "recognition_cross_entropy < 0.5";
  config.stop_for = 2;
  Stopping one(config), other(config);
  for (const double value : {0.5, 0.6, 0.4, 0.6, 0.6, 0.3, 0.45, 0.6}) {
    Stopping resumed(config);
    resumed.Restore(other.state());
    EXPECT_EQ(resumed.Observe(CrossEntropy(value)), one.Observe(CrossEntropy(value)));
    EXPECT_EQ(resumed.reason(), one.reason());
    other.Restore(resumed.state());
  }
}

}  // namespace
}  // namespace flare
