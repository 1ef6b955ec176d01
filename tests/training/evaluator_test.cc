#include <gtest/gtest.h>

#include <limits>

#include "flare/training/measure.h"

namespace flare {
namespace {

TEST(HardestExamples, AreTheWorstFirstAndNoLossIsWorseThanNaN) {
  Split split(1);
  std::vector<float> logits;
  const auto add = [&](bool label, float logit) {
    split.Add({}, label);
    logits.push_back(logit);
  };
  add(true, 2);
  add(false, 2);
  add(true, -1);
  add(true, -2);  // as hard as the second
  add(false, std::numeric_limits<float>::quiet_NaN());
  add(true, 3);
  const std::vector<std::size_t> worst_first = {4, 1, 3, 2, 0, 5};
  for (std::size_t count = 0; count <= 8; ++count) {
    const auto end =
        worst_first.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(6, count));
    EXPECT_EQ(HardestExamples(split, logits, count),
              std::vector<std::size_t>(worst_first.begin(), end));
  }
}

}  // namespace
}  // namespace flare
