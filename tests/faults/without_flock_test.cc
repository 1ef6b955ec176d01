// A file system whose locks lock nothing: the locks that are files still hold.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "support/paths.h"
#include "support/same_run.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

TEST(WithoutFlock, TwoGenerationsAtATimeMakeOneDataset) {
  const TemporaryDirectory folder;
  const std::string generate =
      std::string("LD_PRELOAD=") + FLOCK_SHIM +
      " ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 " + FlareProgram() +
      " generate parity --set splits.train.size=500 --set splits.test.size=100 --out ";
  ASSERT_EQ(RunShell(generate + "alone", folder.path()).exit_code, 0);
  const auto whole = TimelessContents(folder.path() / "alone");
  for (int round = 0; round < 20; ++round) {
    const std::string one = generate + "pair >> log 2>&1 || echo exit $? >> log";
    RunShell("rm -rf pair log; (" + one + ") & (" + one + ") & wait", folder.path());
    const std::string log = ReadFile(folder.path() / "log");
    EXPECT_EQ(TimelessContents(folder.path() / "pair"), whole) << log;
    // Whoever comes second finds it, or is told that it is being made.
    EXPECT_THAT(log, Not(HasSubstr("exit 3")));
  }
}

}  // namespace
}  // namespace flare
