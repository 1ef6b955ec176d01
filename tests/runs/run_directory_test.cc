#include "flare/runs/run_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/test_names.h"
#include "support/version01.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

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
      RefusalOf([&] { run.ReadConfig(TestNames()); }),
      directory.path().string() + ": is not a run: it has no config.json; flare train makes runs");
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
  const RunDirectory run(Version01("finished-transformer"));
  Names later = TestNames();
  later.architectures.back().options = {
      {"positions", {"sinusoidal", "none"}, 0, 0, "sinusoidal", ""}};
  RunConfig wanted = run.ReadConfig(later);
  EXPECT_EQ(wanted.settings.options.at("positions"), "sinusoidal");
  CheckSameRun(run, wanted, later);
  wanted.settings.learning_rate = 0.5;
  EXPECT_NE(RefusalOf([&] {
              CheckSameRun(run, wanted, later);
            }).find("is another run: its learning_rate is "),
            std::string::npos);
}

TEST(CheckSameRun, AnUnfinishedRunGoesOnWithItsArithmeticOnly) {
  const auto refusal = [](const char* name, const std::string& arithmetic) {
    const RunDirectory run(Version01(name));
    RunConfig wanted = run.ReadConfig(TestNames());
    wanted.settings.arithmetic = arithmetic;
    return RefusalOf([&] { CheckSameRun(run, wanted, TestNames()); });
  };
  EXPECT_EQ(refusal("unfinished-rnn", "0.1"), "");
  EXPECT_NE(refusal("unfinished-rnn", "0.2")
                .find("was begun with the arithmetic of version 0.1; this program computes the rnn "
                      "as version 0.2 does"),
            std::string::npos);
  EXPECT_EQ(refusal("finished-transformer", "0.2"), "");
}

}  // namespace
}  // namespace flare
