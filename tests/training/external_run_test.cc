#include "flare/training/external_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/training/run_data.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ExternalRun : public testing::Test {
 protected:
  ExternalRun()
      : data_(IdentifyData(MakeSmallDataset(folder_.path(), "parity", 60))),
        config_(MakeExternalConfig({.name = "mine", .command = {"mine"}, .options = {}},
                                   {{"loss", "rec"}, {"validation", "short"}}, data_)),
        run_(OwnedRun::TryOpen(folder_.path() / "run", observer_)) {
    BeginExternal(*run_, config_);
    fs::create_directories(run_->directory().logits_folder());
    for (const std::string& split : data_.Splits()) {
      const std::size_t examples = ReadPinnedSplit(data_, split, kOnlyStrings).size();
      std::string logits;
      for (std::size_t i = 0; i < examples; ++i) logits += "1\n";
      WriteFile(run_->directory().logits(split), logits);
    }
  }

  TemporaryDirectory folder_;
  LockObserver observer_;
  const RunData data_;
  const RunConfig config_;
  const std::unique_ptr<OwnedRun> run_;
};

// A program may err about its own model.
TEST_F(ExternalRun, ScoresItsLogitsAndIgnoresItsClaims) {
  WriteFile(run_->directory().events(),
            R"({"event": "checkpoint", "time": "2026-01-01T00:00:00Z", "epoch": 3,)"
            R"( "learning_rate": 0.1, "is_best": true,)"
            R"( "validation": {"recognition_cross_entropy": 0.01, "accuracy": 1}})"
            "\n");
  const RunResult result = ScoreExternal(*run_, config_);
  const SplitMetrics& measured = *result.Split("validation-short");
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->epoch, 3u);
  EXPECT_GT(measured.recognition_cross_entropy, 0.3);
  EXPECT_EQ(result.best->cross_entropy, measured.recognition_cross_entropy);
  EXPECT_EQ(result.best->accuracy, measured.accuracy);
}

TEST_F(ExternalRun, RunWithoutTrainingFiguresCanBeTheBest) {
  const RunResult result = ScoreExternal(*run_, config_);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->accuracy, result.Split("validation-short")->accuracy);
}

TEST_F(ExternalRun, RefusesLogitsOfNoSplit) {
  WriteFile(run_->directory().logits("tset"), "1\n");
  EXPECT_THAT(RefusalOf([&] { ScoreExternal(*run_, config_); }),
              HasSubstr("tset.txt: is not SPLIT.txt of a split of its data; it has train, test"));
}

TEST_F(ExternalRun, NewAttemptBeginsWithoutTheLogitsOfTheLast) {
  BeginExternal(*run_, config_);
  EXPECT_FALSE(fs::exists(run_->directory().logits_folder()));
  EXPECT_TRUE(run_->directory().is_begun());
}

TEST_F(ExternalRun, FinishedRunKeepsItsAnswersUntilTheyAreRemoved) {
  ScoreExternal(*run_, config_);
  BeginExternal(*run_, config_);
  EXPECT_TRUE(fs::exists(run_->directory().logits("train")));
  RemoveAnswers(*run_);
  EXPECT_FALSE(run_->directory().is_finished());
  EXPECT_FALSE(fs::exists(run_->directory().logits_folder()));
}

TEST_F(ExternalRun, RefusesLogitsThatWereThereBeforeTheRun) {
  const fs::path path = folder_.path() / "other";
  fs::create_directories(path / "logits");
  const auto other = OwnedRun::TryOpen(path, observer_);
  EXPECT_THAT(RefusalOf([&] { BeginExternal(*other, config_); }),
              HasSubstr("logits: exists, but the run has no config.json"));
  EXPECT_TRUE(fs::exists(path / "logits"));
  EXPECT_FALSE(other->directory().is_begun());
}

}  // namespace
}  // namespace flare
