// flare tour: what it runs is the example of README.md, and it leaves nothing behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Tour, RunsTheExampleOfTheReadme) {
  const TemporaryDirectory directory;
  const ShellResult tour = RunShell("TMPDIR=$PWD " + FlareProgram() + " tour", directory.path());
  ASSERT_EQ(tour.exit_code, 0) << tour.output;
  // Commands that go on in the next line are one.
  const std::regex goes_on(" \\\\\n(> )? +");
  const std::string readme =
      std::regex_replace(ReadFile(fs::path(SourceDir()) / "README.md"), goes_on, " ");
  std::size_t commands = 0;
  const std::string shown = std::regex_replace(tour.output, goes_on, " ");
  for (const std::string_view line : Lines(shown)) {
    if (!line.starts_with("$ flare ")) continue;
    ++commands;
    EXPECT_THAT(readme, HasSubstr(std::string(line)));
  }
  EXPECT_EQ(commands, 4u);
  EXPECT_THAT(tour.output, HasSubstr("2 states; the same language as the target"));
  EXPECT_THAT(tour.output, HasSubstr("flare tour DIR keeps them"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Tour, KeepsAFolderThatIsNamedAndTakesNoOther) {
  const TemporaryDirectory directory;
  const auto tour = [&](const std::string& arguments) {
    return RunShell(FlareProgram() + " tour " + arguments + " 2>&1", directory.path());
  };
  const ShellResult first = tour("here");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.output, testing::Not(HasSubstr("removed")));
  EXPECT_TRUE(fs::exists(directory.path() / "here/run/result.json"));
  const ShellResult again = tour("here");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.output, HasSubstr("is not empty"));
}

TEST(FirstSteps, AreShownWithoutACommand) {
  const TemporaryDirectory directory;
  const ShellResult result = RunShell(FlareProgram(), directory.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("flare tour"));
  EXPECT_THAT(result.output, HasSubstr("flare --help"));
}

}  // namespace
}  // namespace flare
