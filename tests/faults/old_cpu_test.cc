// CPUs without AVX2: alone they take what they have, and as older nodes of a cluster they make no
// run fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/paths.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kNewFlare = FlareProgram();
const std::string kOldFlare = std::string("LD_PRELOAD=") + CPU_SHIM +
                              " ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 " + kNewFlare;

Json StatusOf(const std::filesystem::path& folder) {
  return Json::parse(RunShell(kNewFlare + " sweep status out --json", folder).output);
}

TEST(OldCpu, TrainsAsEveryCpuCanAndSaysSo) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 2);
  ASSERT_EQ(
      RunShell(kNewFlare + " sweep plan grid.toml --data data --out out", folder.path()).exit_code,
      0);
  const std::string train =
      " train --data data/parity --architecture rnn --loss rec --validation short --budget 1000"
      " --layers 1 --max-epochs 2 --run ";
  const ShellResult run = RunShell(kOldFlare + train + "old", folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("flare: old: this CPU has no AVX2, so the target is portable; "
                                    "--target chooses another\n"));
  EXPECT_EQ(Json::parse(ReadFile(folder.path() / "old/config.json"))["target"], "portable");
  // What it gives is what portable gives on any CPU.
  const ShellResult other = RunShell(kNewFlare + train + "new --target portable", folder.path());
  EXPECT_EQ(other.exit_code, 0) << other.output;
  EXPECT_THAT(other.output, Not(HasSubstr("AVX2")));
  EXPECT_EQ(ReadFile(folder.path() / "old/model.safetensors"),
            ReadFile(folder.path() / "new/model.safetensors"));
}

TEST(OldCpu, RefusesATargetThatItLacksByName) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 2);
  ASSERT_EQ(
      RunShell(kNewFlare + " sweep plan grid.toml --data data --out out", folder.path()).exit_code,
      0);
  const ShellResult run =
      RunShell(kOldFlare +
                   " train --data data/parity --architecture rnn --loss rec --validation short "
                   "--run run --target avx512",
               folder.path());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output,
            "flare: target: this CPU has no AVX-512 (F, BW, CD, DQ, VL)\n"
            "choose portable or native\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run" / "config.json"));
}

TEST(OldCpu, SweepsAsEveryCpuCanAndSaysSo) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 2);
  const ShellResult run = RunShell(
      kOldFlare + " sweep run grid.toml --data data --out out --only trial=1", folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("flare: out: its runs have the target portable: it was planned on a "
                        "CPU without AVX2\n"));
  // Others finish it in the same way.
  EXPECT_EQ(RunShell(kNewFlare + " sweep work out --jobs 2", folder.path()).exit_code, 0);
  EXPECT_EQ(StatusOf(folder.path())["finished"], 8);
}

TEST(OldCpu, LeavesAnothersSweepToOthers) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 2);
  const ShellResult plan =
      RunShell(kNewFlare + " sweep plan grid.toml --data data --out out", folder.path());
  EXPECT_EQ(plan.exit_code, 0) << plan.output;
  const ShellResult work = RunShell(kOldFlare + " sweep work out", folder.path());
  EXPECT_EQ(work.output, "flare: target: this CPU has no AVX2\nchoose native or portable\n");
  EXPECT_EQ(work.exit_code, 2);
  const ShellResult rest = RunShell(kNewFlare + " sweep work out --jobs 2", folder.path());
  EXPECT_EQ(rest.exit_code, 0) << rest.output;
  const Json status = StatusOf(folder.path());
  EXPECT_EQ(status["failed"], 0);
  EXPECT_EQ(status["finished"], 8);
}

}  // namespace
}  // namespace flare
