#include <gtest/gtest.h>

#include "flare/runs/recipe.h"
#include "support/refusal.h"

namespace flare {
namespace {

TEST(Objective, HasTheFiguresOfItsTerms) {
  EXPECT_EQ(FiguresOfLoss("rec+lm"),
            (std::vector<std::string>{"loss", "accuracy", "recognition_cross_entropy",
                                      "false_positives", "false_negatives", "f1", "auc",
                                      "longest_perfect_length", "lm_cross_entropy"}));
  EXPECT_EQ(FiguresOfLoss("ns"), (std::vector<std::string>{"loss", "next_symbol_cross_entropy",
                                                           "next_symbol_accuracy_positions",
                                                           "next_symbol_accuracy_strings"}));
}

TEST(Objective, SelectsByRecognitionIfThatIsATerm) {
  EXPECT_EQ(DefaultSelection("rec+lm"), "recognition_cross_entropy");
  EXPECT_EQ(DefaultSelection("lm"), "loss");
}

TEST(Objective, KnowsWhichFiguresAreBetterLow) {
  for (const char* low : {"loss", "recognition_cross_entropy", "lm_cross_entropy",
                          "false_positives", "false_negatives"}) {
    EXPECT_TRUE(IsBetterLow(low)) << low;
  }
  for (const char* high :
       {"accuracy", "f1", "auc", "longest_perfect_length", "state_accuracy_strings"}) {
    EXPECT_FALSE(IsBetterLow(high)) << high;
  }
}

TEST(FigureCondition, ComparesAsItSays) {
  const auto parse = [](const char* text) { return ParseCondition(text, "stop_at"); };
  EXPECT_EQ(parse("state_accuracy_strings >= 1").Text(), "state_accuracy_strings >= 1");
  EXPECT_EQ(parse("  accuracy>0.990 ").Text(), "accuracy > 0.99");
  EXPECT_TRUE(parse("a >= 1").Holds(1));
  EXPECT_FALSE(parse("a > 1").Holds(1));
  EXPECT_TRUE(parse("a <= 1").Holds(1));
  EXPECT_FALSE(parse("a < 1").Holds(1));
  EXPECT_TRUE(parse("a < 1").Holds(0.5));
}

TEST(FigureCondition, RefusesWhatIsNone) {
  for (const char* text : {"", "accuracy", "accuracy = 1", "accuracy >= x", ">= 1",
                           "accuracy >=", "accuracy >== 1", "accuracy => 1"}) {
    EXPECT_NE(RefusalOf([&] { ParseCondition(text, "--stop-at"); }), "") << text;
  }
}

}  // namespace
}  // namespace flare
