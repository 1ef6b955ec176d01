#include "flare/training/schedule.h"

#include <gtest/gtest.h>

namespace flare {
namespace {

RunSettings Config() {
  RunSettings config;
  config.learning_rate = 1;
  return config;
}

TEST(Schedule, HalvesAfterFiveAndStopsAfterTenWithoutADecrease) {
  Schedule schedule(Config());
  EXPECT_TRUE(schedule.Observe(0.5));
  for (int i = 1; i <= 10; ++i) {
    EXPECT_FALSE(schedule.exhausted());
    // A tie is not a decrease.
    EXPECT_FALSE(schedule.Observe(i % 2 == 0 ? 0.5 : 0.7));
    EXPECT_EQ(schedule.learning_rate(), i < 5 ? 1 : i < 10 ? 0.5 : 0.25) << i;
  }
  EXPECT_TRUE(schedule.exhausted());
}

TEST(Schedule, ADecreaseStartsBothCountsAnew) {
  Schedule schedule(Config());
  schedule.Observe(0.5);
  for (int i = 0; i < 9; ++i) schedule.Observe(0.6);
  EXPECT_EQ(schedule.learning_rate(), 0.5);
  EXPECT_TRUE(schedule.Observe(0.4));
  for (int i = 1; i <= 4; ++i) schedule.Observe(0.6);
  EXPECT_EQ(schedule.learning_rate(), 0.5);
  schedule.Observe(0.6);
  EXPECT_EQ(schedule.learning_rate(), 0.25);
  EXPECT_FALSE(schedule.exhausted());
}

TEST(Schedule, ContinuesFromItsState) {
  Schedule one(Config()), other(Config());
  const double values[] = {0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.55, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4};
  for (const double value : values) {
    Schedule resumed(Config());
    resumed.Restore(other.state());
    EXPECT_EQ(resumed.Observe(value), one.Observe(value));
    EXPECT_EQ(resumed.learning_rate(), one.learning_rate());
    EXPECT_EQ(resumed.exhausted(), one.exhausted());
    other.Restore(resumed.state());
  }
}

}  // namespace
}  // namespace flare
