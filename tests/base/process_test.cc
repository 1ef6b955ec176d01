#include "flare/base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "support/refusal.h"

namespace flare {
namespace {

class ProcessTest : public testing::Test {
 protected:
  ProcessTest() {
    folder_ = std::filesystem::temp_directory_path() / ("process_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ProcessTest() override { std::filesystem::remove_all(folder_); }

  std::string log() const { return folder_ / "log.txt"; }

  std::filesystem::path folder_;
};

TEST_F(ProcessTest, GetsItsEnvironmentAndLeavesItsOutput) {
  const auto program = StartLogged({"sh", "-c", "echo $FLARE_A; echo $HOME$FLARE_B >&2; exit 7"},
                                   {{"FLARE_A", "one"}, {"HOME", "two"}}, log());
  EXPECT_EQ(program->Wait(), 7);
  EXPECT_EQ(program->Poll(), 7);
  EXPECT_EQ(ReadFile(log()), "one\ntwo\n");
}

// The log is for whoever started it, and continues when the program is started again.
TEST_F(ProcessTest, ItsLogHasTheModeOfOtherFiles) {
  WriteFile(folder_ / "other", "");
  const auto program = StartLogged({"true"}, {}, log());
  EXPECT_EQ(program->Wait(), 0);
  EXPECT_EQ(std::filesystem::status(log()).permissions(),
            std::filesystem::status(folder_ / "other").permissions());
}

TEST_F(ProcessTest, IsSignalled) {
  const auto program = StartLogged({"sleep", "600"}, {}, log());
  EXPECT_EQ(program->Poll(), std::nullopt);
  program->Signal(SIGTERM);
  EXPECT_EQ(program->Wait(), 128 + SIGTERM);
}

TEST(ProcessOfWork, EndsWithTheCodeOfItsWork) {
  Process process([] { return 7; });
  EXPECT_EQ(process.Wait(), 7);
}

TEST(ProcessOfWork, ReportsTheSignalThatEndedIt) {
  Process process([] { return ::pause(); });
  process.Signal(SIGKILL);
  EXPECT_EQ(process.Wait(), Process::kSignalBase + SIGKILL);
}

// The inner process blocks SIGTERM, says that it is ready, and waits for the signal.
TEST_F(ProcessTest, WorkIsAskedToStopWhenItsParentEnds) {
  const std::string ready = folder_ / "ready", asked = folder_ / "asked";
  Process outer([&] {
    const Process* inner = new Process([&] {
      sigset_t signals;
      sigemptyset(&signals);
      sigaddset(&signals, SIGTERM);
      ::sigprocmask(SIG_BLOCK, &signals, nullptr);
      WriteFile(ready, "");
      int signal = 0;
      ::sigwait(&signals, &signal);
      WriteFile(asked, "");
      return 0;
    });
    while (inner != nullptr && !std::filesystem::exists(ready)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return 0;  // without the inner process's destructor, which would kill it
  });
  EXPECT_EQ(outer.Wait(), 0);
  for (int i = 0; i < 5'000 && !std::filesystem::exists(asked); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(std::filesystem::exists(asked));
}

TEST_F(ProcessTest, DoesNotOutliveItsObject) {
  {
    const auto program = StartLogged({"sh", "-c", "echo $$; exec sleep 600"}, {}, log());
    while (ReadFile(log()).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const pid_t pid = std::stoi(ReadFile(log()));
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(ProcessTest, MustExist) {
  EXPECT_EQ(RefusalOf([&] { StartLogged({"/no/such/program"}, {}, log()); }),
            "/no/such/program: no such program");
  EXPECT_EQ(RefusalOf([&] { StartLogged({"/"}, {}, log()); }),
            "/: cannot be run: Permission denied; expected an executable file; chmod +x makes a "
            "script one");
  EXPECT_EQ(RefusalOf([&] { StartLogged({"no-such-program-on-the-path"}, {}, log()); }),
            "no-such-program-on-the-path: no such program");
}

// A shell would take it for its own language.
TEST_F(ProcessTest, AScriptSaysWhatReadsIt) {
  const std::string script = folder_ / "script";
  WriteFile(script, "print('hello')\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  EXPECT_EQ(RefusalOf([&] { StartLogged({script}, {}, log()); }),
            script +
                ": cannot be run: Exec format error; a script begins with a line such as "
                "#!/usr/bin/env python3");
  WriteFile(script, "#!/bin/sh\necho hello\n");
  EXPECT_EQ(StartLogged({script}, {}, log())->Wait(), 0);
  EXPECT_EQ(ReadFile(log()), "hello\n");
}

TEST(RunProgram, ReturnsBothStreamsAndTheExitCode) {
  const auto result = RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_FALSE(RunProgram({"/no/such/program"}));
}

// Neither stream may fill up while the other is read.
TEST(RunProgram, ReadsLongOutputsOfBothStreams) {
  const auto result =
      RunProgram({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output.size(), 300'000u);
  EXPECT_EQ(result->errors.size(), 300'000u);
}

}  // namespace
}  // namespace flare
