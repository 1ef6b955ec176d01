#include "flare/nn/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace flare {
namespace {

constexpr std::size_t kLength = 200, kWarmup = 20;

ScheduleConfig Config(const std::string& schedule, std::size_t warmup = 0, double floor = 0,
                      std::size_t length = 0) {
  return {.name = schedule,
          .learning_rate = 0.5,
          .floor = floor,
          .warmup_steps = warmup,
          .length = length};
}

// The rate after the warm-up of W steps, of N in all, by the textbook: what the catalogue must
// agree with. A schedule without a line here fails the test.
using Formula = double (*)(double t, double W, double N, double peak, double floor);
const std::map<std::string, Formula> kFormulas = {
    {"plateau", [](double, double, double, double peak, double) { return peak; }},
    {"constant", [](double, double, double, double peak, double) { return peak; }},
    {"linear", [](double t, double W, double N, double peak,
                  double floor) { return floor + (peak - floor) * (N - t) / (N - W); }},
    {"cosine",
     [](double t, double W, double N, double peak, double floor) {
       return floor + 0.5 * (peak - floor) * (1 + std::cos(M_PI * (t - W) / (N - W)));
     }},
    {"inverse-sqrt",
     [](double t, double W, double, double peak, double floor) {
       return std::max(floor, peak * std::sqrt(std::max(W, 1.0)) / std::sqrt(t + 1));
     }},
};

class EverySchedule : public testing::TestWithParam<std::string> {};

TEST_P(EverySchedule, FollowsItsFormula) {
  ASSERT_TRUE(kFormulas.contains(GetParam())) << "no reference";
  for (const std::size_t warmup : {std::size_t{0}, kWarmup}) {
    for (const double floor : {0.0, 0.1, 0.6}) {
      const Schedule schedule(Config(GetParam(), warmup, floor, kLength));
      for (std::size_t t = 0; t < kLength; ++t) {
        const double expected =
            t < warmup
                ? 0.5 * static_cast<double>(t + 1) / static_cast<double>(warmup)
                : kFormulas.at(GetParam())(static_cast<double>(t), static_cast<double>(warmup),
                                           kLength, 0.5, 0.5 * floor);
        ASSERT_NEAR(schedule.RateAt(t), expected, 1e-12) << t << " " << warmup << " " << floor;
      }
    }
  }
}

std::vector<std::string> ScheduleNames() {
  std::vector<std::string> names;
  for (const ScheduleInfo& schedule : ScheduleCatalog()) names.push_back(schedule.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(, EverySchedule, testing::ValuesIn(ScheduleNames()), [](const auto& each) {
  std::string name = each.param;
  std::erase(name, '-');
  return name;
});

TEST(Schedule, StaysAtTheFloorAfterItsLength) {
  for (const char* name : {"linear", "cosine"}) {
    const Schedule schedule(Config(name, kWarmup, 0.2, kLength));
    EXPECT_NEAR(schedule.RateAt(kLength), 0.1, 1e-12) << name;
    EXPECT_NEAR(schedule.RateAt(10 * kLength), 0.1, 1e-12) << name;
  }
}

TEST(Plateau, HalvesAfterFiveWithoutAnImprovement) {
  Schedule schedule(Config("plateau"));
  schedule.Observe(true);
  for (int i = 1; i <= 10; ++i) {
    schedule.Observe(false);
    EXPECT_EQ(schedule.RateAt(7), i < 5 ? 0.5 : i < 10 ? 0.25 : 0.125) << i;
  }
}

TEST(Plateau, StartsAnewAfterAnImprovement) {
  Schedule schedule(Config("plateau"));
  for (int i = 0; i < 4; ++i) schedule.Observe(false);
  schedule.Observe(true);
  for (int i = 0; i < 4; ++i) schedule.Observe(false);
  EXPECT_EQ(schedule.RateAt(0), 0.5);
  schedule.Observe(false);
  EXPECT_EQ(schedule.RateAt(0), 0.25);
}

TEST(Plateau, StopsFallingAtTheFloor) {
  Schedule schedule(Config("plateau", 4, 0.4));
  for (int i = 0; i < 20; ++i) schedule.Observe(false);
  EXPECT_EQ(schedule.RateAt(100), 0.2);
  EXPECT_EQ(schedule.RateAt(1), 0.1);  // in the warm-up
}

TEST(Plateau, ContinuesFromItsState) {
  Schedule one(Config("plateau")), other(Config("plateau"));
  const bool improvements[] = {true, false, false, false, false, false, true, false, false, false};
  for (const bool is_best : improvements) {
    Schedule resumed(Config("plateau"));
    resumed.Restore(other.state());
    resumed.Observe(is_best);
    one.Observe(is_best);
    EXPECT_EQ(resumed.RateAt(3), one.RateAt(3));
    other.Restore(resumed.state());
  }
}

}  // namespace
}  // namespace flare
