// Results that cannot be printed are not silently lost; talk that cannot be printed does no harm.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/tiny_commands.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/paths.h"
#include "support/same_run.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class StandardStreams : public testing::Test {
 protected:
  // `tail` is what follows the command in a shell: a redirection.
  ShellResult Run(const std::string& arguments, const std::string& tail) const {
    return RunShell(FlareProgram() + " " + arguments + " " + tail, command_.folder());
  }
  std::string Train(const std::string& run) const {
    return "train --data data/parity --architecture rnn --loss rec --validation short --layers 1 "
           "--hidden 4 --max-epochs 1 --run " +
           run;
  }
  // Every command that answers on stdout.
  std::vector<std::string> Answering() const {
    EXPECT_EQ(Run(Train("run"), "").exit_code, 0);
    WriteFile(command_.folder() / "strings", "0 1\n");
    return {"--version",
            "--help",
            "train --help",
            "languages",
            "show parity",
            "sample parity",
            "recognize parity strings",
            "edit-distance parity strings",
            "verify data/parity",
            "baselines data/parity",
            Train("run"),
            "evaluate run",
            "predict run strings",
            "sweep status sweep",
            "sweep list sweep",
            "report sweep --to report"};
  }

  const TinyCommand command_{"train"};
};

TEST_F(StandardStreams, AFullDiskBehindStdoutIsAnError) {
  for (const std::string& arguments : Answering()) {
    const ShellResult result = Run(arguments, "> /dev/full");
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.output, HasSubstr("standard output: cannot write: No space left on device"))
        << arguments << "\n"
        << result.output;
  }
}

TEST_F(StandardStreams, AClosedStdoutIsAnError) {
  for (const std::string& arguments : Answering()) {
    const ShellResult result = Run(arguments, ">&-");
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.output, HasSubstr("standard output: cannot write: Bad file descriptor"))
        << arguments << "\n"
        << result.output;
  }
}

// As with any other program: SIGPIPE ends it, silently.
TEST_F(StandardStreams, AReaderThatIsGoneEndsTheCommand) {
  const ShellResult result =
      Run("sample parity --count 100000", "| head -1; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(Lines(result.output).size(), 2u) << result.output;
  EXPECT_TRUE(result.output.ends_with("\n141\n")) << result.output;
}

TEST_F(StandardStreams, AFullOrClosedStderrChangesNothing) {
  ASSERT_EQ(Run(Train("whole"), "> whole.txt").exit_code, 0);
  for (const char* tail : {"2> /dev/full", "2>&-", "2>&- <&-"}) {
    SCOPED_TRACE(tail);
    EXPECT_EQ(Run("nonsense", tail).exit_code, 2);
    EXPECT_EQ(Run("sample nonsense", tail).exit_code, 2);
    fs::remove_all(command_.folder() / "run");
    EXPECT_EQ(Run(Train("run"), std::string("> run.txt ") + tail).exit_code, 0);
    EXPECT_EQ(ReadFile(command_.folder() / "run.txt"), ReadFile(command_.folder() / "whole.txt"));
    EXPECT_EQ(TimelessContents(command_.folder() / "run"),
              TimelessContents(command_.folder() / "whole"));
    fs::remove_all(command_.work());
    const std::string sweep = "sweep run grid.toml --data work/data --out work/out --jobs 1 ";
    EXPECT_EQ(Run(sweep, tail).exit_code, 0);
    EXPECT_EQ(TimelessContents(command_.work() / "data"),
              TimelessContents(command_.folder() / "data"));
  }
}

TEST_F(StandardStreams, AClosedStdinIsAnError) {
  const ShellResult result = Run("recognize parity", "<&-");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("standard input: cannot read"));
}

// Something must take its place, or the first file that is opened would.
TEST_F(StandardStreams, AClosedOneOnAMachineWithoutDevNullIsAnError) {
  const std::string bare = "unshare -m bash -c 'mount -t tmpfs none /dev && ";
  if (RunShell(bare + "true'").exit_code != 0) GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_EQ(RunShell(bare + FlareProgram() + " --version'").exit_code, 0);
  for (const char* closed : {"<&-", ">&-", "2>&-"}) {
    EXPECT_EQ(RunShell(bare + FlareProgram() + " --version " + closed + "'").exit_code, 3)
        << closed;
  }
}

}  // namespace
}  // namespace flare
