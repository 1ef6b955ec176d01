#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/base/error.h"
#include "flare/runs/recipe.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

TEST(Curriculum, BothSpellingsMeanTheSame) {
  const Curriculum curriculum = ParseCurriculum("[[0, 10], [5000, 20], [10000, 40]]", "");
  EXPECT_EQ(curriculum.Text(), "0:10+5000:20+10000:40");
  EXPECT_EQ(ParseCurriculum("0:10+5000:20+10000:40", "").Text(), curriculum.Text());
  EXPECT_EQ(ParseCurriculum("[[0,7]]", "").Text(), "0:7");
  ASSERT_EQ(curriculum.stages.size(), 3u);
  EXPECT_EQ(curriculum.stages[1].step, 5000u);
  EXPECT_EQ(curriculum.stages[1].longest, 20u);
}

TEST(Curriculum, AStageLastsUntilTheNext) {
  const Curriculum curriculum = ParseCurriculum("0:1+3:2+4:9", "");
  const std::size_t stages[] = {0, 0, 0, 1, 2, 2};
  for (std::size_t step = 0; step < 6; ++step) {
    EXPECT_EQ(curriculum.StageAt(step), stages[step]) << step;
    EXPECT_EQ(curriculum.BeginsAt(step), step == 3 || step == 4) << step;
  }
}

TEST(Curriculum, AnEmptyTextAllowsAllLengthsAtOnce) {
  const Curriculum none = ParseCurriculum("", "");
  EXPECT_EQ(none.Text(), "");
  EXPECT_EQ(none.StageAt(1'000'000), 0u);
  EXPECT_FALSE(none.BeginsAt(0));
  EXPECT_EQ(none.stages[0].longest, std::numeric_limits<std::size_t>::max());
}

TEST(Curriculum, RefusesWhatDoesNotGrowFromStepZero) {
  const std::pair<const char*, const char*> refusals[] = {
      {"10", "'10' is not a step and a length"},
      {"[10, 20]", "'[10,20]' is not a step and a length"},
      {"[[0, 10], [5, 20]", "is not a step and a length"},
      {"0:ten", "'0:ten' is not a step and a length"},
      {"0:1:2", "'0:1:2' is not a step and a length"},
      {"0:10+", "'' is not a step and a length"},
      {"-1:10", "'-1:10' is not a step and a length"},
      {"0:99999999999", "'0:99999999999' is not a step and a length"},
      {"5:10", "it begins with step 5"},
      {"0:10+0:20", "step 0 comes after 0"},
      {"0:10+9:20+5:30", "step 5 comes after 9"},
      {"0:10+5:10", "length 10 comes after 10"},
  };
  for (const auto& [text, why] : refusals) {
    EXPECT_THAT(RefusalOf([&] { ParseCurriculum(text, "here"); }), HasSubstr(why)) << text;
  }
}

}  // namespace
}  // namespace flare
