// The cluster that the other tests rely on: it runs jobs, loses a node, and leaves nothing behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/shell.h"
#include "support/slurm_cluster.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

std::string Sh(const SlurmCluster& cluster, const std::string& command,
               const fs::path& directory = ".") {
  const ShellResult result = RunShell(cluster.Environment() + command, directory);
  EXPECT_EQ(result.exit_code, 0) << command << ": " << result.output;
  return result.output;
}

// Submits `script`, to run in `directory`, and returns the job's id.
std::string Submit(const SlurmCluster& cluster, const fs::path& directory,
                   const std::string& options, const std::string& script) {
  WriteFile(directory / "job.sh", "#!/bin/bash\n" + script);
  const std::string id =
      Sh(cluster, "sbatch --parsable --ntasks=1 " + options + " job.sh", directory);
  return id.substr(0, id.find('\n'));
}

// "task state" of each task, in order.
std::vector<std::string> States(const SlurmCluster& cluster, const std::string& job) {
  const std::string text =
      Sh(cluster, "squeue --noheader --array --states=all --format='%K %T' --jobs=" + job);
  std::vector<std::string> states;
  for (const std::string_view line : Lines(text)) states.emplace_back(line);
  std::sort(states.begin(), states.end());
  return states;
}

template <class Condition>
bool WaitUntil(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

// The processes that were told of the cluster in `scratch`, which all of its own were.
std::string ProcessesOf(const fs::path& scratch) {
  return RunShell("grep -slF SLURM_CONF=" + scratch.string() + " /proc/[0-9]*/environ").output;
}

class ClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = SlurmCluster::MissingProgram();
    if (!missing.empty()) GTEST_SKIP() << missing << " is not installed";
  }
};

TEST_F(ClusterTest, RunsAnArrayBesideAnotherCluster) {
  const TemporaryDirectory scratch, other_scratch;
  const SlurmCluster cluster(scratch.path()), other(other_scratch.path());
  const std::string job = Submit(cluster, scratch.path(), "--array=0-3",
                                 "echo $SLURMD_NODENAME > result-$SLURM_ARRAY_TASK_ID\n");
  const std::vector<std::string> done{"0 COMPLETED", "1 COMPLETED", "2 COMPLETED", "3 COMPLETED"};
  EXPECT_TRUE(WaitUntil([&] { return States(cluster, job) == done; }))
      << testing::PrintToString(States(cluster, job));
  for (int task = 0; task < 4; ++task) {
    const std::string node = ReadFile(scratch.path() / ("result-" + std::to_string(task)));
    EXPECT_TRUE(node == "n1\n" || node == "n2\n") << node;
  }
  EXPECT_EQ(Sh(other, "squeue --noheader --states=all"), "");
}

TEST_F(ClusterTest, TaskOfACrashedNodeRunsAgainOnTheOther) {
  const TemporaryDirectory scratch;
  SlurmCluster cluster(scratch.path());
  const std::string job = Submit(cluster, scratch.path(), "--array=7 --requeue",
                                 R"(if [[ $SLURM_RESTART_COUNT ]]; then
  echo "restart $SLURM_RESTART_COUNT on $SLURMD_NODENAME" > second-run
else
  sleep 1000 &
  echo "$SLURMD_NODENAME $!" > part
  mv part first-run
  wait
fi
)");
  ASSERT_TRUE(WaitUntil([&] { return fs::exists(scratch.path() / "first-run"); }));
  const std::string first_run = ReadFile(scratch.path() / "first-run");
  const std::string node = first_run.substr(0, 2), other = node == "n1" ? "n2" : "n1";
  const pid_t child = std::stoi(first_run.substr(3));
  EXPECT_EQ(::kill(child, 0), 0);
  cluster.CrashNode(node);
  EXPECT_EQ(::kill(child, 0), -1);
  EXPECT_EQ(States(cluster, job), std::vector<std::string>{"7 PENDING"});
  EXPECT_TRUE(
      WaitUntil([&] { return States(cluster, job) == std::vector<std::string>{"7 COMPLETED"}; }));
  EXPECT_EQ(ReadFile(scratch.path() / "second-run"), "restart 1 on " + other + "\n");

  cluster.RestoreNode(node);
  Submit(cluster, scratch.path(), "--nodelist=" + node, "touch restored");
  EXPECT_TRUE(WaitUntil([&] { return fs::exists(scratch.path() / "restored"); }));
}

TEST_F(ClusterTest, LeavesNothingRunning) {
  const TemporaryDirectory scratch;
  {
    const SlurmCluster cluster(scratch.path());
    Submit(cluster, scratch.path(), "", "touch started; setsid sleep 1000 & sleep 1000");
    EXPECT_TRUE(WaitUntil([&] { return fs::exists(scratch.path() / "started"); }));
    EXPECT_NE(ProcessesOf(scratch.path()), "");
  }
  EXPECT_EQ(ProcessesOf(scratch.path()), "");
}

TEST_F(ClusterTest, EndsWithATestThatIsKilled) {
  const TemporaryDirectory scratch;
  const pid_t test = ::fork();
  if (test == 0) {
    // noexcept: whatever happens, this process must not continue with the other tests.
    [&]() noexcept {
      const SlurmCluster cluster(scratch.path());
      WriteFile(scratch.path() / "up", "");
      for (;;) ::pause();
    }();
  }
  EXPECT_TRUE(WaitUntil([&] { return fs::exists(scratch.path() / "up"); }));
  EXPECT_NE(ProcessesOf(scratch.path()), "");
  ::kill(test, SIGKILL);
  ::waitpid(test, nullptr, 0);
  EXPECT_TRUE(WaitUntil([&] { return ProcessesOf(scratch.path()).empty(); }));
}

TEST_F(ClusterTest, FailureShowsWhatTheDaemonsSaid) {
  const TemporaryDirectory scratch;
  // Too long a path for munged's socket.
  const fs::path deep = scratch.path() / std::string(110, 'x');
  try {
    const SlurmCluster cluster(deep);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("munged: Error: "));
  }
}

}  // namespace
}  // namespace flare
