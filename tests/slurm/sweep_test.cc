// A sweep on a real Slurm: workers of a job array share it, a node dies, and the results are those
// of one machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "flare/base/clock.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/paths.h"
#include "support/shell.h"
#include "support/slurm_cluster.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class SlurmSweep : public testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = SlurmCluster::MissingProgram();
    if (!missing.empty()) GTEST_SKIP() << missing << " is not installed";
    const fs::path scratch = folder_.path() / "s";
    fs::create_directory(scratch);
    cluster_.emplace(scratch);
  }
  ShellResult Shell(const std::string& command) {
    return RunShell(cluster_->Environment() + command, folder_.path());
  }
  Json Status() {
    const ShellResult result = Shell(FlareProgram() + " sweep status --json out");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return Json::parse(result.output, nullptr, false);
  }
  // Jobs of runs that are being trained, by their locks.
  std::size_t Running() { return Status()["running"]; }

  TemporaryDirectory folder_;
  std::optional<SlurmCluster> cluster_;
};

TEST_F(SlurmSweep, ANodeDiesAndEveryRunIsFinishedAsOnOneMachine) {
  // Runs long enough to be caught in the middle.
  WriteSmallGrid(folder_.path(), 1500);
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  const ShellResult dry = Shell(flare + " sweep submit out --slurm --tasks 2 --dry-run");
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_.path() / "out" / "slurm"));
  const ShellResult submitted =
      Shell(flare + " sweep submit out --slurm --tasks 2 --mem 200M --sbatch-args=--exclusive");
  ASSERT_EQ(submitted.exit_code, 0) << submitted.output;

  // One worker on each node; n1 loses power in the middle of a run.
  const Stopwatch watch;
  while (Running() < 2 && watch.Seconds() < 30) std::this_thread::sleep_for(50ms);
  ASSERT_EQ(Running(), 2u) << Shell("squeue; cat out/slurm/*.log").output;
  cluster_->CrashNode("n1");
  Json status = Status();
  EXPECT_LT(status["finished"], 8);
  EXPECT_EQ(status["slurm"]["reachable"], true);
  EXPECT_EQ(status["slurm"]["tasks"].size(), 2u) << status;

  // The other worker takes the run over when it gets there, or the task is queued again.
  while (Status()["finished"] < 8 && watch.Seconds() < 60) std::this_thread::sleep_for(100ms);
  status = Status();
  EXPECT_EQ(status["finished"], 8) << status << Shell("squeue; cat out/slurm/*.log").output;
  EXPECT_EQ(status["failed"], 0);

  const ShellResult local = RunShell(SweepCommand("local", "--jobs 2"), folder_.path());
  ASSERT_EQ(local.exit_code, 0) << local.output;
  EXPECT_EQ(RunsOf(folder_.path() / "out"), RunsOf(folder_.path() / "local"));
}

// At the time limit: SIGUSR1 comes to the batch script, the worker saves and stops, the task is
// queued again and continues.
TEST_F(SlurmSweep, ATaskAtItsTimeLimitIsQueuedAgain) {
  WriteSmallGrid(folder_.path(), 2500);
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  ASSERT_EQ(Shell(flare + " sweep submit out --slurm --tasks 1 --mem 200M").exit_code, 0);
  const Stopwatch watch;
  while (Running() < 1 && watch.Seconds() < 30) std::this_thread::sleep_for(50ms);
  const std::string job = Status()["slurm"]["jobs"][0];
  ASSERT_EQ(Shell("scancel --batch --signal=USR1 " + job + "_1").exit_code, 0);
  while (Running() > 0 && watch.Seconds() < 30) std::this_thread::sleep_for(50ms);
  const std::size_t finished = Status()["finished"];
  EXPECT_LT(finished, 8u);
  while (Status()["finished"] < 8 && watch.Seconds() < 60) std::this_thread::sleep_for(100ms);
  EXPECT_EQ(Status()["finished"], 8) << Shell("squeue; cat out/slurm/*.log").output;
}

TEST_F(SlurmSweep, RefusalsOfSlurmAreShown) {
  WriteSmallGrid(folder_.path(), 1);
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  const ShellResult refused = Shell(flare + " sweep submit out --slurm --partition nowhere");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, HasSubstr("invalid partition specified: nowhere"));
  EXPECT_EQ(Shell(flare + " sweep submit out --slurm --time 00:02:00").exit_code, 2);
}

}  // namespace
}  // namespace flare
