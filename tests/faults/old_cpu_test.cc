// A node of a cluster that is older than the others: no run fails for it.

#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/json.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

TEST(OldCpu, PlansAndLeavesTheWorkToOthers) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 2);
  const std::string flare = FLARE_BINARY;
  const std::string old = std::string("LD_PRELOAD=") + CPU_SHIM +
                          " ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 " + flare;
  const ShellResult plan =
      RunShell(old + " sweep plan grid.toml --data data --out out", folder.path());
  EXPECT_EQ(plan.exit_code, 0) << plan.output;
  const ShellResult work = RunShell(old + " sweep work out", folder.path());
  EXPECT_EQ(work.output, "flare: target: this CPU has no AVX2\nchoose native or portable\n");
  EXPECT_EQ(work.exit_code, 2);
  const ShellResult rest = RunShell(flare + " sweep work out --jobs 2", folder.path());
  EXPECT_EQ(rest.exit_code, 0) << rest.output;
  const Json status =
      Json::parse(RunShell(flare + " sweep status out --json", folder.path()).output);
  EXPECT_EQ(status["failed"], 0);
  EXPECT_EQ(status["finished"], 8);
}

}  // namespace
}  // namespace flare
