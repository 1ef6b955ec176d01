// A run continues beyond the epoch limit that ended it, and an unfinished run has a model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "support/refusal.h"
#include "support/same_run.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class ContinuedRun : public testing::Test {
 protected:
  // 60 examples in an epoch. Checkpoints do not fall on the ends of epochs, so that the last
  // validation under an epoch limit is one that a higher limit skips.
  RunPlan Plan(const std::string& max_epochs, const std::string& checkpoint_examples = "70") const {
    return {MakeSettings({{"architecture", "gru"},
                          {"loss", "rec+lm"},
                          {"validation", "short"},
                          {"layers", "1"},
                          {"hidden", "8"},
                          {"batch_tokens", "64"},
                          {"learning_rate", "0.05"},
                          {"learning_rate_patience", "2"},
                          {"stopping_patience", "1000"},
                          {"checkpoint_examples", checkpoint_examples},
                          {"max_epochs", max_epochs}},
                         data_.alphabet.size()),
            data_};
  }
  std::unique_ptr<OwnedRun> Open(const std::string& name) {
    return OwnedRun::TryOpen(folder_.path() / name, observer_);
  }
  // As flare train does.
  bool Execute(const std::string& name, const RunPlan& plan, const RunOptions& options = {}) {
    const auto run = Open(name);
    const RunDirectory& directory = run->directory();
    const bool raises_limit = directory.is_begun() && RaisesLimit(directory, plan);
    if (directory.is_finished() && !raises_limit) return true;
    return ExecuteRun(*run, plan, options).finished;
  }
  std::map<std::string, std::string> Contents(const std::string& name) const {
    return TimelessContents(folder_.path() / name);
  }
  RunDirectory Run(const std::string& name) const { return RunDirectory(folder_.path() / name); }

  TemporaryDirectory folder_;
  const RunData data_ = IdentifyData(MakeSmallDataset(folder_.path(), "parity", 60));
  LockObserver observer_;
};

TEST_F(ContinuedRun, HigherLimitGivesTheBitsOfThatLimitFromTheStart) {
  for (const char* checkpoint_examples : {"70", "60", "1000", "7"}) {
    SCOPED_TRACE(checkpoint_examples);
    const std::string at_once = std::string("at-once-") + checkpoint_examples;
    const std::string in_steps = std::string("in-steps-") + checkpoint_examples;
    ASSERT_TRUE(Execute(at_once, Plan("9", checkpoint_examples)));
    for (const char* limit : {"1", "2", "3", "7", "9"}) {
      ASSERT_TRUE(Execute(in_steps, Plan(limit, checkpoint_examples)));
      const RunResult result = Run(in_steps).ReadResult();
      EXPECT_EQ(std::to_string(result.epochs), limit);
      EXPECT_EQ(result.stop_reason, "epoch limit");
      EXPECT_TRUE(result.best.has_value());
    }
    EXPECT_EQ(Contents(in_steps), Contents(at_once));
  }
}

// Killed anywhere between the two limits, in evaluation too.
TEST_F(ContinuedRun, InterruptionLeavesTheSameBits) {
  ASSERT_TRUE(Execute("whole", Plan("5")));
  ASSERT_TRUE(Execute("broken", Plan("2")));
  int times = 0;
  for (int asked = 0;; asked = (asked + 1) % 40) {
    int left = asked;
    RunOptions options;
    options.stop = [&] { return left-- == 0 ? "test" : ""; };
    if (Execute("broken", Plan("5"), options)) break;
    EXPECT_FALSE(Run("broken").is_finished());
    ++times;
  }
  EXPECT_GT(times, 5);
  EXPECT_EQ(Contents("broken"), Contents("whole"));
}

// Between its two steps, raising a limit leaves an unfinished run with the old limit; it then ends
// as it had ended before.
TEST_F(ContinuedRun, KillWhileTheLimitIsRaisedLosesNothing) {
  ASSERT_TRUE(Execute("run", Plan("2")));
  const auto before = Contents("run");
  fs::remove(Run("run").result());
  ASSERT_TRUE(Execute("run", Plan("2")));
  EXPECT_EQ(Contents("run"), before);
}

TEST_F(ContinuedRun, OnlyRunsThatALimitEndedContinue) {
  RunPlan plan = Plan("1000");
  plan.settings.learning_rate = 0;
  plan.settings.stopping_patience = 10;
  ASSERT_TRUE(Execute("still", plan));
  ASSERT_EQ(Run("still").ReadResult().stop_reason, "no improvement");
  const auto before = Contents("still");
  plan.settings.max_epochs = 2000;
  EXPECT_EQ(RefusalOf([&] { Execute("still", plan); }),
            Run("still").path().string() + ": ended by \"no improvement\", not by its limit");
  EXPECT_EQ(Contents("still"), before);

  ASSERT_TRUE(Execute("low", Plan("3")));
  EXPECT_THAT(RefusalOf([&] { Execute("low", Plan("2")); }),
              HasSubstr("is a different run: its max_epochs is 3, not 2"));
  RunPlan other = Plan("4");
  other.settings.dropout = 0.5;
  EXPECT_THAT(RefusalOf([&] { Execute("low", other); }),
              HasSubstr("is a different run: its dropout is 0.1, not 0.5"));

  // As left by a version that kept none.
  ASSERT_TRUE(Execute("old", Plan("3")));
  fs::remove(Run("old").checkpoint());
  EXPECT_THAT(RefusalOf([&] { Execute("old", Plan("4")); }),
              HasSubstr("has no checkpoint to continue from"));
  EXPECT_TRUE(Run("old").is_finished());

  ASSERT_TRUE(Execute("damaged", Plan("3")));
  std::string bytes = ReadFile(Run("damaged").checkpoint());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteFile(Run("damaged").checkpoint(), bytes);
  EXPECT_NE(RefusalOf([&] { Execute("damaged", Plan("4")); }), "");
  EXPECT_TRUE(Run("damaged").is_finished());

  // Whatever cannot be read, the run stays as it is.
  ASSERT_TRUE(Execute("kept", Plan("3")));
  const auto kept = Contents("kept");
  const std::string events = ReadFile(Run("kept").events());
  WriteFile(Run("kept").events(), events.substr(events.find('\n') + 1));
  EXPECT_THAT(RefusalOf([&] { Execute("kept", Plan("4")); }), HasSubstr("events.jsonl"));
  WriteFile(Run("kept").events(), events);
  const fs::path dataset = data_.pinned.path, away = folder_.path() / "away";
  const RunPlan plan4 = Plan("4");
  fs::rename(dataset, away);
  EXPECT_THAT(RefusalOf([&] { Execute("kept", plan4); }), HasSubstr("is missing"));
  fs::rename(away, dataset);
  EXPECT_EQ(Contents("kept"), kept);
}

TEST_F(ContinuedRun, UnfinishedRunHasTheModelOfItsBestCheckpoint) {
  const RunPlan plan = Plan("9", "30");
  RunOptions options;
  int left = 1;
  options.stop = [&] { return left-- == 0 ? "test" : ""; };
  ASSERT_FALSE(Execute("run", plan, options));
  EXPECT_EQ(
      RefusalOf([&] { LoadModel(Run("run"), plan); }),
      Run("run").path().string() + ": the run has no model yet: it has not reached a checkpoint");
  left = 12;
  ASSERT_FALSE(Execute("run", plan, options));
  const TrainedModel so_far = LoadModel(Run("run"), plan);
  const SavedState state = LoadCheckpoint(Run("run"), plan);
  ASSERT_TRUE(state.progress.best.has_value());
  EXPECT_EQ(so_far.best_so_far, state.progress.best->epoch);
  EXPECT_EQ(so_far.model->parameters().values(), state.best);
  options.stop = nullptr;
  ASSERT_TRUE(Execute("run", plan, options));
  EXPECT_FALSE(LoadModel(Run("run"), plan).best_so_far.has_value());
}

}  // namespace
}  // namespace flare
