// Networks learn: the whole path from a language to held-out accuracy, in seconds.

#include <gtest/gtest.h>

#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

RunResult TrainOn(const std::string& language, SettingTexts settings) {
  const TemporaryDirectory folder;
  const RunData data = IdentifyData(MakeSmallDataset(folder.path(), language));
  settings["validation"] = "short";
  settings["checkpoint_examples"] = "2000";
  settings["batch_tokens"] = "128";
  const RunPlan plan{MakeSettings(settings, data.alphabet.size()), data};
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(folder.path() / "run", observer);
  EXPECT_TRUE(ExecuteRun(*run, plan, {}).finished);
  return run->directory().ReadResult();
}

TEST(Learning, AnLstmLearnsParity) {
  const RunResult result = TrainOn("parity", {{"architecture", "lstm"},
                                              {"loss", "rec"},
                                              {"layers", "1"},
                                              {"hidden", "24"},
                                              {"learning_rate", "0.01"},
                                              {"max_epochs", "60"}});
  EXPECT_EQ(*result.Metric("test-short-held-out", "accuracy"), 1.0);
  // And beyond the lengths that it has seen.
  EXPECT_EQ(*result.Metric("test", "accuracy"), 1.0);
  EXPECT_EQ(*result.Metric("test", "longest_perfect_length"), 40);
}

TEST(Learning, AnLstmTracksTheStatesOfParity) {
  const RunResult result = TrainOn("parity", {{"architecture", "lstm"},
                                              {"loss", "rec+st"},
                                              {"st_coefficient", "1"},
                                              {"layers", "1"},
                                              {"hidden", "24"},
                                              {"learning_rate", "0.01"},
                                              {"max_epochs", "20"}});
  EXPECT_EQ(*result.Metric("test", "accuracy"), 1.0);
  EXPECT_EQ(*result.Metric("test", "state_accuracy_positions"), 1.0);
  EXPECT_EQ(*result.Metric("test", "state_accuracy_strings"), 1.0);
  EXPECT_FALSE(result.Metric("test", "lm_cross_entropy").has_value());
}

TEST(Learning, ATransformerLearnsFirstWithAllLosses) {
  const RunResult result = TrainOn("first", {{"architecture", "transformer"},
                                             {"loss", "rec+lm+ns"},
                                             {"lm_coefficient", "0.1"},
                                             {"ns_coefficient", "0.1"},
                                             {"layers", "2"},
                                             {"hidden", "16"},
                                             {"learning_rate", "0.005"},
                                             {"max_epochs", "20"}});
  EXPECT_EQ(*result.Metric("test-short-held-out", "accuracy"), 1.0);
  EXPECT_EQ(*result.Metric("test-short-held-out", "next_symbol_accuracy_strings"), 1.0);
  // The paper's law on `first` has the entropy of its actions; no model is below it.
  EXPECT_GT(*result.Metric("test-short-held-out", "lm_cross_entropy"), 0.6);
  EXPECT_LT(*result.Metric("test-short-held-out", "lm_cross_entropy"), 1.1);
}

// State tracking as the whole objective, until every string is right.
TEST(Learning, AnLstmTracksTheStatesOfParityWithoutRecognition) {
  const RunResult result = TrainOn("parity", {{"architecture", "lstm"},
                                              {"loss", "st"},
                                              {"layers", "1"},
                                              {"hidden", "24"},
                                              {"learning_rate", "0.01"},
                                              {"stop_at", "state_accuracy_strings >= 1"},
                                              {"stop_for", "2"},
                                              {"max_epochs", "40"}});
  EXPECT_EQ(result.stop_reason, kTargetReached);
  EXPECT_EQ(*result.Metric("test", "state_accuracy_positions"), 1.0);
  EXPECT_EQ(*result.Metric("test", "state_accuracy_strings"), 1.0);
  EXPECT_FALSE(result.Metric("test", "accuracy").has_value());
  EXPECT_FALSE(result.Metric("test", "longest_perfect_length").has_value());
  EXPECT_FALSE(result.best->accuracy.has_value());
  EXPECT_EQ(result.best->Find("state_accuracy_strings"), 1.0);
}

TEST(Learning, ATransformerLearnsFirstWithWarmUpCosineAndAdamW) {
  const RunResult result = TrainOn("first", {{"architecture", "transformer"},
                                             {"loss", "rec"},
                                             {"layers", "2"},
                                             {"hidden", "16"},
                                             {"learning_rate", "0.005"},
                                             {"optimizer", "adamw"},
                                             {"weight_decay", "0.1"},
                                             {"schedule", "cosine"},
                                             {"warmup_steps", "50"},
                                             {"stopping_patience", "0"},
                                             {"max_steps", "1000"}});
  EXPECT_EQ(result.stop_reason, kStepLimit);
  EXPECT_EQ(result.steps, 1000u);
  EXPECT_EQ(*result.Metric("test-short-held-out", "accuracy"), 1.0);
}

}  // namespace
}  // namespace flare
