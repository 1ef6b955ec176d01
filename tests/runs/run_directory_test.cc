#include "flare/runs/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/version02.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(RunDirectory, TellsItsStateByItsFiles) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  EXPECT_EQ(run.Look(), RunState::kLeft);
  WriteFile(run.config(), "{}");
  EXPECT_EQ(run.Look(), RunState::kLeft);
  WriteFile(run.lock(), "{}");
  EXPECT_EQ(run.Look(), RunState::kRunning);
  WriteFile(run.failure(), "{}");
  EXPECT_EQ(run.Look(), RunState::kFailed);
  WriteFile(run.result(), "{}");
  EXPECT_EQ(run.Look(), RunState::kFinished);
}

TEST(RunDirectory, HoldsARunOrNothing) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  run.CheckIsRunOrEmpty();
  WriteFile(directory.path() / "letter.txt", "");
  EXPECT_NE(RefusalOf([&] { run.CheckIsRunOrEmpty(); }), "");
  EXPECT_EQ(
      RefusalOf([&] { run.ReadConfig(); }),
      directory.path().string() + ": is not a run: it has no config.json; flare train makes runs");
}

TEST(RunDirectory, IsOursIfItHasOnlyLocksDraftsAndAFailure) {
  for (const char* ours : {"lock", "lock.00ff", "lock.flare.00ff.tmp", "failure.json",
                           "config.json.flare.0123456789abcdef.tmp"}) {
    const TemporaryDirectory directory;
    WriteFile(directory.path() / ours, R"({"reason": "no memory", "time": ""})");
    EXPECT_EQ(RefusalOf([&] { RunDirectory(directory.path()).CheckIsRunOrEmpty(); }), "") << ours;
  }
}

TEST(RunDirectory, IsOursIfItHasOurMarker) {
  for (const char* marker : {"config.json", "logits"}) {
    const TemporaryDirectory directory;
    WriteFile(directory.path() / "thesis.txt", "years of work");
    fs::create_directory(directory.path() / marker);
    EXPECT_EQ(RefusalOf([&] { RunDirectory(directory.path()).CheckIsRunOrEmpty(); }), "") << marker;
  }
}

TEST(RunDirectory, ForeignOneIsRefusedAndLeftAlone) {
  for (const char* others :
       {"thesis.tmp", "thesis.4711.tmp", "locksmith.txt", "result.json", "config.json.tmp.txt",
        "events.jsonl", "checkpoint.safetensors", "model.safetensors"}) {
    const TemporaryDirectory directory;
    LockObserver observer;
    WriteFile(directory.path() / others, "years of work");
    EXPECT_EQ(RefusalOf([&] { OwnedRun::TryOpen(directory.path(), observer); }),
              directory.path().string() + ": holds something other than a run: '" + others +
                  "'; name a new or empty directory for the run");
    EXPECT_EQ(ReadFile(directory.path() / others), "years of work");
    EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
  }
}

// Only its own checkpoints are a run's to remove.
TEST(OwnedRun, KeepsACheckpointOfAnotherProgram) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  RunResult result;
  result.stop_reason = kNoImprovement;
  WriteFile(run.result(), CheckedText(ResultToJson(result)));
  WriteFile(run.checkpoint(), "weights");
  LockObserver observer;
  WriteFile(run.config(), R"({"external": {"command": ["x"]}})");
  ASSERT_NE(OwnedRun::TryOpen(run.path(), observer), nullptr);
  EXPECT_TRUE(fs::exists(run.checkpoint()));
  WriteFile(run.config(), "{}");
  ASSERT_NE(OwnedRun::TryOpen(run.path(), observer), nullptr);
  EXPECT_FALSE(fs::exists(run.checkpoint()));
}

TEST(OwnedRun, WritesThroughNoLink) {
  const TemporaryDirectory directory, elsewhere;
  WriteFile(elsewhere.path() / "mine", "mine");
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(directory.path(), observer);
  const RunDirectory& there = run->directory();
  fs::create_symlink(elsewhere.path() / "mine", there.model());
  fs::create_directory_symlink(elsewhere.path(), there.evaluation());
  for (const fs::path& file : {there.model(), there.evaluation() / "mine"}) {
    EXPECT_THAT(RefusalOf([&] { run->Write(file, "ours"); }), HasSubstr("is a link"));
  }
  EXPECT_EQ(ReadFile(elsewhere.path() / "mine"), "mine");
}

// Another process has taken the run over: then not even a draft is written, nor one removed.
TEST(OwnedRun, FormerOwnerWritesNothing) {
  const TemporaryDirectory directory;
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(directory.path(), observer);
  WriteFile(run->directory().config(), "of its successor");
  fs::remove(run->directory().lock());
  WriteFile(run->directory().lock(), "of its successor");
  EXPECT_THROW(run->Write(run->directory().config(), "stale"), RunLost);
  EXPECT_THROW(run->Remove(run->directory().config()), RunLost);
  EXPECT_EQ(ReadFile(run->directory().config()), "of its successor");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 2);
}

TEST(OwnedRun, NothingIsRemovedInAFolderThatALinkPointsTo) {
  const TemporaryDirectory directory, elsewhere;
  const fs::path left = elsewhere.path() / "a.json.flare.0123456789abcdef.tmp";
  WriteFile(left, "");
  WriteFile(elsewhere.path() / "thesis.tmp", "");
  LockObserver observer;
  WriteFile(directory.path() / "config.json", "{}");
  fs::create_directory_symlink(elsewhere.path(), directory.path() / "eval");
  WriteFile(directory.path() / "result.json", "{}");
  ASSERT_NE(OwnedRun::TryOpen(directory.path(), observer), nullptr);
  EXPECT_TRUE(fs::exists(left));
  EXPECT_TRUE(fs::exists(elsewhere.path() / "thesis.tmp"));
}

TEST(OwnedRun, RemovesItsFailure) {
  const TemporaryDirectory directory;
  LockObserver observer;
  const auto run = OwnedRun::TryOpen(directory.path(), observer);
  run->RemoveFailure();
  run->RecordFailure("no");
  run->RemoveFailure();
  EXPECT_FALSE(fs::exists(run->directory().failure()));
}

TEST(RunDirectory, CannotBeMadeBelowAFile) {
  const TemporaryDirectory directory;
  WriteFile(directory.path() / "rnn", "a file");
  const auto refusal = [](const fs::path& run) {
    return RefusalOf([&] { RunDirectory(run).CheckIsRunOrEmpty(); });
  };
  EXPECT_EQ(refusal(directory.path() / "lstm/rec/1"), "");
  EXPECT_EQ(refusal("not-there"), "");
  EXPECT_EQ(refusal(directory.path() / "rnn/rec/1"),
            (directory.path() / "rnn").string() + ": exists and is not a directory");
  fs::create_symlink("nowhere", directory.path() / "lstm");
  EXPECT_EQ(refusal(directory.path() / "lstm/rec/1"),
            (directory.path() / "lstm").string() + ": is a link to no directory");
}

TEST(RunDirectory, KeepsTheReasonOfAFailure) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path() / "run");
  EXPECT_EQ(run.ReasonOfFailure(), "?");
  LockObserver observer;
  OwnedRun::TryOpen(run.path(), observer)->RecordFailure("it said \"no\"");
  EXPECT_EQ(run.ReasonOfFailure(), "it said \"no\"");
  EXPECT_EQ(run.Look(), RunState::kFailed);
  WriteFile(run.failure(), R"({"reason": "two\nlines"})");
  EXPECT_EQ(run.ReasonOfFailure(), R"('two\x0alines')");
  for (const char* damaged : {"", "[]", "{}", R"({"reason": 3})"}) {
    WriteFile(run.failure(), damaged);
    EXPECT_EQ(run.ReasonOfFailure(), "?") << damaged;
  }
}

TEST(RunDirectory, ADamagedResultSaysWhatToDo) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  WriteFile(run.result(), "{}");
  EXPECT_EQ(RefusalOf([&] { run.ReadResult(); }),
            run.result().string() +
                ": 'outcome' is missing: the result is damaged; remove the run's directory to "
                "start it over");
}

TEST(CheckSameRun, ComparesValuesNotFiles) {
  const RunDirectory run(Version02("runs/finished"));
  RunConfig wanted = run.ReadConfig();
  CheckSameRun(run, wanted);
  wanted.settings.learning_rate = 0.5;
  EXPECT_THAT(RefusalOf([&] { CheckSameRun(run, wanted); }),
              HasSubstr("is a different run: its learning_rate is "));
}

TEST(CheckSameRun, UnfinishedRunGoesOnWithItsArithmeticOnly) {
  const auto refusal = [](const char* name, const std::string& arithmetic) {
    const RunDirectory run(Version02(name));
    RunConfig wanted = run.ReadConfig();
    wanted.settings.arithmetic = arithmetic;
    return RefusalOf([&] { CheckSameRun(run, wanted); });
  };
  EXPECT_EQ(refusal("runs/killed", "0.2"), "");
  EXPECT_THAT(refusal("runs/killed", "0.3"),
              HasSubstr("was begun with the arithmetic of version 0.2; this program computes the"));
  EXPECT_EQ(refusal("runs/finished", "0.3"), "");
}

}  // namespace
}  // namespace flare
