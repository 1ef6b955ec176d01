#include "flare/base/child_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "support/refusal.h"

namespace flare {
namespace {

class ChildProgramTest : public testing::Test {
 protected:
  ChildProgramTest() {
    folder_ =
        std::filesystem::temp_directory_path() / ("child_program_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ChildProgramTest() override { std::filesystem::remove_all(folder_); }

  std::string log() const { return folder_ / "log.txt"; }

  static int Wait(ChildProgram& program) {
    while (true) {
      if (const auto code = program.Poll()) return *code;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  std::filesystem::path folder_;
};

TEST_F(ChildProgramTest, GetsItsEnvironmentAndLeavesItsOutput) {
  ChildProgram program({"sh", "-c", "echo $FLARE_A; echo $HOME$FLARE_B >&2; exit 7"},
                       {{"FLARE_A", "one"}, {"HOME", "two"}}, log());
  EXPECT_EQ(Wait(program), 7);
  EXPECT_EQ(program.Poll(), 7);
  EXPECT_EQ(ReadFile(log()), "one\ntwo\n");
}

// The log is for whoever started it, and continues when the program is started again.
TEST_F(ChildProgramTest, ItsLogHasTheModeOfOtherFiles) {
  WriteFile(folder_ / "other", "");
  ChildProgram program({"true"}, {}, log());
  EXPECT_EQ(Wait(program), 0);
  EXPECT_EQ(std::filesystem::status(log()).permissions(),
            std::filesystem::status(folder_ / "other").permissions());
}

TEST_F(ChildProgramTest, IsSignalled) {
  ChildProgram program({"sleep", "600"}, {}, log());
  EXPECT_EQ(program.Poll(), std::nullopt);
  program.Signal(SIGTERM);
  EXPECT_EQ(Wait(program), 128 + SIGTERM);
}

TEST_F(ChildProgramTest, DoesNotOutliveItsObject) {
  {
    ChildProgram program({"sh", "-c", "echo $$; exec sleep 600"}, {}, log());
    while (ReadFile(log()).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const pid_t pid = std::stoi(ReadFile(log()));
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(ChildProgramTest, MustExist) {
  EXPECT_EQ(RefusalOf([&] { ChildProgram program({"/no/such/program"}, {}, log()); }),
            "/no/such/program: no such program");
  EXPECT_THROW(ChildProgram({"/"}, {}, log()), IoError);
}

}  // namespace
}  // namespace flare
