#include <gtest/gtest.h>

#include "flare/experiments/sweep_status.h"

namespace flare {
namespace {

const Coordinates kRnn{"parity", "rnn", "rec", "short", 64'000, 1};
const Coordinates kTransformer{"parity", "transformer", "rec", "short", 64'000, 1};

double Expected(const SettingTexts& settings, const SettingTexts& data) {
  Grid grid;
  grid.settings = settings;
  grid.data = data;
  return CostModel(grid).Expect(kRnn);
}

TEST(CostModel, KnowsTheEpochsAndExamplesOfTheGridBeforeTheFirstResult) {
  const double usual = Expected({}, {});
  EXPECT_GT(usual, 10);
  EXPECT_LT(usual, 1000);
  EXPECT_DOUBLE_EQ(Expected({{"max_epochs", "6"}}, {}), usual / 10);
  // A limit that no run reaches costs nothing.
  EXPECT_DOUBLE_EQ(Expected({{"max_epochs", "1000"}}, {}), usual);
  EXPECT_DOUBLE_EQ(Expected({}, {{"splits.train.size", "100"}}), usual / 100);
}

TEST(CostModel, HeadsMakeRunsDearer) {
  const CostModel costs{Grid()};
  Coordinates run = kRnn;
  double last = 0;
  for (const char* loss : {"rec", "rec+lm", "rec+lm+ns"}) {
    run.loss = loss;
    EXPECT_GT(costs.Expect(run), last) << loss;
    last = costs.Expect(run);
  }
}

TEST(CostModel, LearnsFromLikeRunsFirst) {
  CostModel costs{Grid()};
  const double ratio = costs.Expect(kTransformer) / costs.Expect(kRnn);
  EXPECT_GT(ratio, 1);
  costs.Observe(kRnn, 30);
  costs.Observe(kRnn, 50);
  EXPECT_DOUBLE_EQ(costs.Expect(kRnn), 40);
  Coordinates larger = kRnn;
  larger.budget *= 2;
  EXPECT_DOUBLE_EQ(costs.Expect(larger), 80);
  // About the other kind nothing is known but the rule of thumb.
  EXPECT_DOUBLE_EQ(costs.Expect(kTransformer), 40 * ratio);
  costs.Observe(kTransformer, 7);
  EXPECT_DOUBLE_EQ(costs.Expect(kTransformer), 7);
  EXPECT_DOUBLE_EQ(costs.Expect(kRnn), 40);
}

}  // namespace
}  // namespace flare
