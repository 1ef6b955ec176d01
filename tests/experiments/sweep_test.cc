// Sweeps on this machine, when all goes well and when it does not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "flare/base/clock.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "support/fake_sweep.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/sanitizers.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

// Of all that have ended.
double CpuSecondsOfChildren() {
  struct rusage usage;
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class SweepTest : public testing::Test {
 protected:
  void SetUp() override { WriteSmallGrid(folder_.path(), 150); }

  ShellResult Shell(const std::string& command) { return RunShell(command, folder_.path()); }
  std::unique_ptr<TestProcess> Start(const std::string& command) {
    return std::make_unique<TestProcess>(
        std::vector<std::string>{"/bin/bash", "-c",
                                 "cd " + folder_.path().string() + " && exec " + command},
        folder_.path() / "log");
  }
  // Processes that train a run of a sweep, in this folder.
  std::vector<pid_t> RunProcesses(const std::string& out) {
    std::vector<pid_t> pids;
    std::error_code ignored;
    for (const auto& entry :
         fs::recursive_directory_iterator(folder_.path() / out / "runs", ignored)) {
      if (entry.path().filename() != "lock") continue;
      try {
        const Json lock = Json::parse(ReadFile(entry.path()), nullptr, false);
        if (lock.is_object()) pids.push_back(lock["pid"]);
      } catch (const std::exception&) {
        // It was released meanwhile.
      }
    }
    return pids;
  }
  Json Status(const std::string& out) {
    return Json::parse(Shell(FlareProgram() + " sweep status --json " + out).output);
  }

  TemporaryDirectory folder_;
};

TEST_F(SweepTest, ResultsDoNotDependOnTheNumberOfWorkers) {
  const ShellResult one = Shell(SweepCommand("one", "--jobs 1"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  const ShellResult four = Shell(SweepCommand("four", "--jobs 4"));
  ASSERT_EQ(four.exit_code, 0) << four.output;
  const auto runs = RunsOf(folder_.path() / "one");
  EXPECT_EQ(runs.size(), 8u);
  EXPECT_EQ(RunsOf(folder_.path() / "four"), runs);
  // The longest first, though the grid has them last.
  EXPECT_LT(one.output.rfind("/transformer/"), one.output.find("/rnn/")) << one.output;
  // A second time there is nothing to do.
  EXPECT_EQ(Shell(SweepCommand("one", "--jobs 2")).exit_code, 0);
  EXPECT_EQ(RunsOf(folder_.path() / "one"), runs);
}

TEST_F(SweepTest, SurvivesTenKillings) {
  ASSERT_EQ(Shell(SweepCommand("whole", "--jobs 2")).exit_code, 0);
  Rng rng = Rng::For(5, "killings");
  for (int i = 0; i < 10; ++i) {
    const auto sweep = Start(SweepCommand("killed", "--jobs 2"));
    std::this_thread::sleep_for(std::chrono::milliseconds(30 + rng.UniformInt(120)));
    if (i % 2 == 0) {
      sweep->Signal(SIGKILL);
    } else {
      for (const pid_t pid : RunProcesses("killed")) ::kill(pid, SIGKILL);
      std::this_thread::sleep_for(20ms);
      sweep->Signal(SIGKILL);
    }
    sweep->Wait();
  }
  const ShellResult last = Shell(SweepCommand("killed", "--jobs 2"));
  ASSERT_EQ(last.exit_code, 0) << last.output;
  EXPECT_EQ(RunsOf(folder_.path() / "killed"), RunsOf(folder_.path() / "whole"));
}

TEST_F(SweepTest, TwoSweepsShareTheWork) {
  ASSERT_EQ(Shell(SweepCommand("alone", "--jobs 1")).exit_code, 0);
  const auto a = Start(SweepCommand("shared", "--jobs 1"));
  const ShellResult b = Shell(SweepCommand("shared", "--jobs 1"));
  EXPECT_EQ(b.exit_code, 0) << b.output;
  EXPECT_EQ(a->Wait(), 0) << ReadFile(folder_.path() / "log");
  EXPECT_EQ(RunsOf(folder_.path() / "shared"), RunsOf(folder_.path() / "alone"));
  // Every run was finished by one of them.
  std::size_t told = 0;
  for (const std::string& text : {b.output, ReadFile(folder_.path() / "log")}) {
    for (const std::string_view line : Lines(text)) {
      told += line.find(" finished after ") != std::string_view::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(told, 8u);
}

TEST_F(SweepTest, KilledWhileItPlansItPlansAgain) {
  for (const int milliseconds : {5, 20, 40, 60, 80, 120}) {
    const auto plan =
        Start(FlareProgram() + " sweep plan grid.toml --jobs 1 --data fresh --out planned");
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    plan->Signal(SIGKILL);
    plan->Wait();
  }
  const ShellResult result =
      Shell(FlareProgram() + " sweep plan grid.toml --data fresh --out planned");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(Status("planned")["left"], 8);
}

// What is wrong with one run does not stop the others.
TEST_F(SweepTest, ABadRunDirectoryStopsOnlyItself) {
  const std::string plan = " sweep plan grid.toml --data data --out bad";
  ASSERT_EQ(Shell(FlareProgram() + plan).exit_code, 0);
  const fs::path runs = folder_.path() / "bad/runs/parity/rnn/rec/short/1000";
  fs::create_directories(runs / "1");
  fs::create_directories(runs / "2");
  WriteFile(runs / "1/core", "not ours");
  WriteFile(runs / "2/config.json", "{\"format\": \"1\"}");
  const ShellResult work = Shell(FlareProgram() + " sweep work bad");
  EXPECT_EQ(work.exit_code, 1) << work.output;
  EXPECT_THAT(work.output, HasSubstr("6 finished, 0 failed, 2 damaged"));
  EXPECT_EQ(ReadFile(runs / "1/core"), "not ours");
}

// Nor is a file of others a failure of a run, to be tried again.
TEST_F(SweepTest, AFailureThatIsNoneStays) {
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  const fs::path run = folder_.path() / "out/runs/parity/rnn/rec/short/1000/1";
  fs::create_directories(run);
  WriteFile(run / "failure.json", "Why I failed");
  EXPECT_EQ(Status("out")["damaged"], 1);
  const ShellResult work = Shell(
      flare + " sweep work out --retry-failed --only architecture=rnn --only language=parity");
  EXPECT_THAT(work.output, HasSubstr("1 finished, 0 failed, 1 damaged"));
  EXPECT_EQ(ReadFile(run / "failure.json"), "Why I failed");
  EXPECT_EQ(std::distance(fs::directory_iterator(run), {}), 1);
  WriteFile(run / "failure.json", R"({"reason": "no", "time": ""})");
  EXPECT_EQ(Shell(flare + " sweep work out --retry-failed --only architecture=rnn --only "
                          "language=parity")
                .exit_code,
            0);
  EXPECT_FALSE(fs::exists(run / "failure.json"));
}

TEST_F(SweepTest, SubmitsThroughNoLink) {
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out; mkdir mine; echo mine > "
                          "mine/worker.sh")
                .exit_code,
            0);
  WriteFile(folder_.path() / "sbatch", "#!/bin/sh\necho 1; touch submitted\n");
  fs::permissions(folder_.path() / "sbatch", fs::perms::owner_all);
  for (const char* link : {"ln -s ../mine out/slurm",
                           "rm out/slurm; mkdir out/slurm; ln -s ../../mine/worker.sh out/slurm/",
                           "rm out/slurm/*; echo MY NOTES > out/slurm/lock"}) {
    const ShellResult submitted =
        Shell(std::string(link) + "; PATH=$PWD:$PATH " + flare + " sweep submit out --slurm");
    EXPECT_EQ(submitted.exit_code, 2) << submitted.output;
    EXPECT_THAT(submitted.output, HasSubstr("out/slurm"));
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "submitted"));
  EXPECT_EQ(ReadFile(folder_.path() / "mine/worker.sh"), "mine\n");
  EXPECT_EQ(ReadFile(folder_.path() / "out/slurm/lock"), "MY NOTES\n");
}

TEST_F(SweepTest, FilesOfTheWrongKindAreNamed) {
  ASSERT_EQ(Shell(SweepCommand("out", "--only trial=1 --only language=parity")).exit_code, 0);
  const fs::path run = folder_.path() / "out/runs/parity/rnn/rec/short/1000/1";
  for (const char* text : {"", "[]", "{}", R"({"outcome": 5})", R"({"seconds": null})"}) {
    WriteFile(run / "result.json", text);
    const Json status = Status("out");
    EXPECT_EQ(status["finished"], 1) << text;
    ASSERT_EQ(status["damaged"], 1) << text;
    EXPECT_THAT(status["failures"][0]["failure"].get<std::string>(), HasSubstr("result.json"));
  }
  for (const char* text : {"", "[]", R"({"format": "1"})", R"({"format": 1})"}) {
    WriteFile(folder_.path() / "out/sweep.json", text);
    const ShellResult result = Shell(FlareProgram() + " sweep status out");
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr("sweep.json"));
  }
}

// Killed from outside again and again, a run that gets further each time is not given up.
TEST_F(SweepTest, ARunThatIsKilledOftenIsResumedAsOften) {
  WriteSmallGrid(folder_.path(), 20'000);
  const std::string only = "--jobs 1 --only trial=1 --only language=parity --only architecture=rnn";
  ASSERT_EQ(Shell(FlareProgram() + " sweep plan grid.toml --data data --out often").exit_code, 0);
  const auto sweep = Start(SweepCommand("often", only + " --time-limit 20s"));
  const fs::path run = folder_.path() / "often/runs/parity/rnn/rec/short/1000/1";
  pid_t last = 0;
  for (int kills = 0; kills < 5;) {
    std::this_thread::sleep_for(10ms);
    const auto pids = RunProcesses("often");
    if (pids.empty() || pids[0] == last || !fs::exists(run / "checkpoint.safetensors")) continue;
    // Something new is saved, as the next ten seconds would.
    fs::last_write_time(run / "checkpoint.safetensors", fs::file_time_type::clock::now());
    ::kill(pids[0], SIGKILL);
    last = pids[0];
    ++kills;
  }
  while (RunProcesses("often").empty() || RunProcesses("often")[0] == last) {
    std::this_thread::sleep_for(10ms);
  }
  sweep->Signal(SIGTERM);
  EXPECT_EQ(sweep->Wait(), 1);
  EXPECT_EQ(Status("often")["failed"], 0) << ReadFile(folder_.path() / "log");
}

// One that makes no progress, for lack of memory perhaps, is left to machines that can do more, and
// is not waited for, not even after a scan has found what it left. This program kills the process
// of its run.
TEST_F(SweepTest, ARunThatIsKilledThriceWithoutProgressIsLeftToOthers) {
  std::string grid = ReadFile(folder_.path() / "grid.toml");
  const std::string architectures = R"("rnn", "transformer")";
  grid.replace(grid.find(architectures), architectures.size(),
               R"("rnn", {name = "greedy", command = ["sh", "-c", "sleep 1; kill -9 $PPID"]})");
  WriteFile(folder_.path() / "grid.toml", grid);
  const ShellResult run =
      Shell("timeout 60 " + SweepCommand("out", "--jobs 1 --only trial=1 --only language=parity"));
  EXPECT_EQ(run.exit_code, 3) << run.output;
  EXPECT_THAT(run.output, HasSubstr("was killed (Killed); it will be resumed"));
  EXPECT_THAT(run.output, HasSubstr("was killed (Killed); this worker leaves it to others"));
  EXPECT_THAT(run.output, HasSubstr("out: 1 finished, 0 failed, 1 left\n"));
  EXPECT_EQ(Status("out")["failed"], 0) << run.output;
}

// Such a draft was once found beside a finished run, after a day of random kills.
TEST_F(SweepTest, AFinishedRunKeepsNoDraftOfAKilledProcess) {
  const std::string command = SweepCommand("out", "--only trial=1 --only language=parity");
  ASSERT_EQ(Shell(command).exit_code, 0);
  fs::path run;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "out" / "runs")) {
    if (entry.path().filename() == "result.json") run = entry.path().parent_path();
  }
  ASSERT_FALSE(run.empty());
  const fs::path draft = run / "config.json.flare.0123456789abcdef.tmp";
  WriteFile(draft, "{");
  const ShellResult again = Shell(command);
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_FALSE(fs::exists(draft)) << again.output;
}

// A network disk that is gone for seconds: runs wait for it, and end as if nothing had happened.
TEST_F(SweepTest, DataThatIsAwayForAMomentFailsNoRun) {
  ASSERT_EQ(Shell(SweepCommand("whole", "--jobs 2")).exit_code, 0);
  const auto sweep = Start(SweepCommand("patient", "--jobs 2"));
  const auto is_there = [&](const char* what) {
    return Shell(std::string("find patient -name ") + what + " | grep -q .").exit_code == 0;
  };
  while (sweep->Running() && !is_there("config.json")) std::this_thread::sleep_for(5ms);
  fs::rename(folder_.path() / "data", folder_.path() / "away");
  // Until somebody has noticed: runs that train need it again for their evaluation.
  while (sweep->Running() &&
         ReadFile(folder_.path() / "log").find("waiting for it") == std::string::npos) {
    std::this_thread::sleep_for(20ms);
  }
  std::this_thread::sleep_for(3s);
  EXPECT_TRUE(sweep->Running()) << ReadFile(folder_.path() / "log");
  fs::rename(folder_.path() / "away", folder_.path() / "data");
  EXPECT_EQ(sweep->Wait(), 0) << ReadFile(folder_.path() / "log");
  EXPECT_EQ(Status("patient")["failed"], 0);
  EXPECT_EQ(RunsOf(folder_.path() / "patient"), RunsOf(folder_.path() / "whole"));
}

// Runs of a language whose data is away wait for it, and those of others go on meanwhile.
TEST_F(SweepTest, DataOfOneLanguageThatIsAwayStopsNoOther) {
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  fs::rename(folder_.path() / "data/parity", folder_.path() / "away");
  const auto work = Start(flare + " sweep work out --jobs 2");
  while (work->Running() && Status("out")["finished"] < 4) std::this_thread::sleep_for(100ms);
  EXPECT_TRUE(work->Running()) << ReadFile(folder_.path() / "log");
  EXPECT_EQ(Status("out")["failed"], 0);
  fs::rename(folder_.path() / "away", folder_.path() / "data/parity");
  EXPECT_EQ(work->Wait(), 0) << ReadFile(folder_.path() / "log");
  EXPECT_EQ(Status("out")["finished"], 8);
}

// A disk that is gone, or a directory that was moved: a worker makes no other in its place.
TEST_F(SweepTest, RemovedDirectoryIsNotMadeAgain) {
  ASSERT_EQ(Shell(FlareProgram() + " sweep plan grid.toml --data data --out out").exit_code, 0);
  const auto work = Start(FlareProgram() + " sweep work out --jobs 1");
  while (work->Running() && RunProcesses("out").empty()) std::this_thread::sleep_for(5ms);
  fs::rename(folder_.path() / "out", folder_.path() / "away");
  EXPECT_EQ(work->Wait(), 3) << ReadFile(folder_.path() / "log");
  EXPECT_THAT(ReadFile(folder_.path() / "log"), HasSubstr("No such file or directory"));
  EXPECT_FALSE(fs::exists(folder_.path() / "out/runs"));
  fs::remove_all(folder_.path() / "out");
  fs::rename(folder_.path() / "away", folder_.path() / "out");
  EXPECT_EQ(Status("out")["failed"], 0);
}

TEST_F(SweepTest, JobsThatCannotBeReadDoNotHideTheRest) {
  ASSERT_EQ(Shell(FlareProgram() + " sweep plan grid.toml --data data --out out").exit_code, 0);
  fs::create_directories(folder_.path() / "out/slurm/jobs.jsonl");
  const Json status = Status("out");
  EXPECT_EQ(status["left"], 8);
  EXPECT_THAT(status["slurm"]["unreadable"].get<std::string>(), HasSubstr("jobs.jsonl"));
  // Nor is a job submitted whose id could not be kept.
  fs::create_directory(folder_.path() / "bin");
  WriteFile(folder_.path() / "bin/sbatch", "#!/bin/sh\ntouch called\necho 7\n");
  fs::permissions(folder_.path() / "bin/sbatch", fs::perms::owner_all);
  const ShellResult submit =
      Shell("PATH=$PWD/bin:$PATH " + FlareProgram() + " sweep submit out --slurm");
  EXPECT_EQ(submit.exit_code, 2) << submit.output;
  EXPECT_FALSE(fs::exists(folder_.path() / "called"));
}

// Something else where runs belong, or somebody else's directory, is the matter of these runs.
TEST_F(SweepTest, OneBadPlaceDoesNotStopTheOthers) {
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  fs::create_directories(folder_.path() / "out/runs/parity");
  WriteFile(folder_.path() / "out/runs/parity/rnn", "a file");
  const ShellResult run = Shell(SweepCommand("out", "--jobs 2"));
  EXPECT_EQ(run.exit_code, 1) << run.output;
  const Json status = Status("out");
  EXPECT_EQ(status["finished"], 6) << status.dump();
}

// As an ordinary user, whom a lock of mode 000 stops.
TEST_F(SweepTest, OneLockThatCannotBeReadDoesNotStopTheOthers) {
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  const fs::path run = folder_.path() / "out/runs/parity/rnn/rec/short/1000/1";
  fs::create_directories(run);
  WriteFile(run / "lock", "{}");
  ASSERT_EQ(Shell("chmod -R a+rwX . && chmod 000 " + (run / "lock").string()).exit_code, 0);
  const std::string as_user = ::geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  if (Shell(as_user + flare + " --version").exit_code != 0) GTEST_SKIP() << "only root sees it";
  const ShellResult status = Shell(as_user + flare + " sweep status out");
  EXPECT_EQ(status.exit_code, 0) << status.output;
  EXPECT_THAT(status.output, HasSubstr("damaged"));
  const ShellResult work = Shell(as_user + flare + " sweep work out --jobs 2");
  EXPECT_EQ(work.exit_code, 1) << work.output;
  EXPECT_EQ(Status("out")["finished"], 7) << work.output;
}

// All jobs are remembered, however many are submitted at a time. This sbatch takes them all.
TEST_F(SweepTest, ManySubmitAtTheSameTime) {
  const std::string flare = FlareProgram();
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  WriteFile(folder_.path() / "sbatch", "#!/bin/sh\necho $$\n");
  fs::permissions(folder_.path() / "sbatch", fs::perms::owner_all);
  const ShellResult all = Shell("export PATH=$PWD:$PATH; for i in $(seq 30); do " + flare +
                                " sweep submit out --slurm 2>/dev/null & done; wait");
  const std::string jobs = ReadFile(folder_.path() / "out/slurm/jobs.jsonl");
  EXPECT_EQ(Lines(all.output).size(), 30u) << all.output;
  EXPECT_EQ(Lines(jobs).size(), 30u) << jobs;
  for (const std::string_view job : Lines(all.output)) {
    EXPECT_THAT(jobs, HasSubstr("\"" + std::string(job) + "\"")) << job;
  }
}

// What it would run can be pasted into a shell, whatever the directories are called.
TEST_F(SweepTest, ADryRunCanBePasted) {
  const std::string flare = FlareProgram();
  fs::create_directory(folder_.path() / "it's here");
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out \"it's here/out\"").exit_code,
            0);
  const ShellResult dry = Shell(flare +
                                " sweep submit \"it's here/out\" --slurm --dry-run "
                                "--sbatch-args=--comment='two words' 2>&1 >/dev/null");
  constexpr std::string_view kBefore = "flare: would run: ";
  ASSERT_TRUE(dry.output.starts_with(kBefore)) << dry.output;
  const ShellResult words = Shell("printf '%s\\n' " + dry.output.substr(kBefore.size()));
  EXPECT_EQ(Lines(words.output).back(),
            (folder_.path() / "it's here/out/slurm/worker.sh").string());
  EXPECT_THAT(words.output, HasSubstr("--comment=two words\n"));
}

TEST_F(SweepTest, AMachineWithoutTheDataFailsNoRun) {
  ASSERT_EQ(Shell(FlareProgram() + " sweep plan grid.toml --data data --out out").exit_code, 0);
  fs::rename(folder_.path() / "data", folder_.path() / "elsewhere");
  const ShellResult work = Shell(FlareProgram() + " sweep work out");
  EXPECT_EQ(work.exit_code, 2) << work.output;
  EXPECT_THAT(work.output, HasSubstr("no such dataset"));
  EXPECT_EQ(Status("out")["failed"], 0);
}

TEST_F(SweepTest, ACrashedRunIsRecordedAndTheGridGoesOn) {
  // Sanitizers would turn the signal into a report and an ordinary exit.
  ::setenv("ASAN_OPTIONS", "handle_segv=0", 1);
  ::setenv("TSAN_OPTIONS", "handle_segv=0", 1);
  const auto sweep = Start(SweepCommand("crash", "--jobs 1"));
  std::vector<pid_t> pids;
  while (pids.empty()) {
    std::this_thread::sleep_for(5ms);
    pids = RunProcesses("crash");
  }
  ::kill(pids[0], SIGSEGV);
  EXPECT_EQ(sweep->Wait(), 1) << ReadFile(folder_.path() / "log");
  Json status = Status("crash");
  EXPECT_EQ(status["finished"], 7);
  ASSERT_EQ(status["failed"], 1);
  EXPECT_EQ(status["failures"][0]["failure"], "its process died: Segmentation fault");
  // Not tried again until somebody says so.
  EXPECT_EQ(Shell(SweepCommand("crash")).exit_code, 1);
  EXPECT_EQ(Status("crash")["failed"], 1);
  EXPECT_EQ(Shell(SweepCommand("crash", "--retry-failed")).exit_code, 0);
  status = Status("crash");
  EXPECT_EQ(status["finished"], 8);
  EXPECT_EQ(status["failed"], 0);
  ASSERT_EQ(Shell(SweepCommand("whole")).exit_code, 0);
  EXPECT_EQ(RunsOf(folder_.path() / "crash"), RunsOf(folder_.path() / "whole"));
}

TEST_F(SweepTest, StopsOnRequestAndGoesOn) {
  const auto sweep = Start(SweepCommand("stopped", "--jobs 2"));
  while (RunProcesses("stopped").empty()) std::this_thread::sleep_for(5ms);
  sweep->Signal(SIGINT);
  EXPECT_EQ(sweep->Wait(), 1);
  EXPECT_TRUE(RunProcesses("stopped").empty());
  const Json status = Status("stopped");
  EXPECT_EQ(status["running"], 0);
  EXPECT_GT(status["left"], 0);
  EXPECT_EQ(Shell(SweepCommand("stopped")).exit_code, 0);
}

TEST_F(SweepTest, TheLockOfADeadProcessIsNoRunningRun) {
  WriteSmallGrid(folder_.path(), 1'000'000);
  const auto sweep = Start(SweepCommand("dead", "--jobs 1"));
  while (RunProcesses("dead").empty()) std::this_thread::sleep_for(5ms);
  sweep->Signal(SIGSTOP);
  for (const pid_t pid : RunProcesses("dead")) ::kill(pid, SIGKILL);
  sweep->Signal(SIGKILL);
  sweep->Wait();
  ASSERT_FALSE(RunProcesses("dead").empty()) << "no lock was left";
  const Json status = Status("dead");
  EXPECT_EQ(status["running"], 0);
  EXPECT_EQ(status["finished"].get<int>() + status["left"].get<int>(), 8);
}

TEST_F(SweepTest, AnotherGridIsRefused) {
  ASSERT_EQ(Shell(SweepCommand("out", "--only trial=1 --only language=parity")).exit_code, 0);
  EXPECT_EQ(Status("out")["finished"], 2);
  const std::string grid = ReadFile(folder_.path() / "grid.toml");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = grid;
    text.replace(text.find(from), from.size(), to);
    WriteFile(folder_.path() / "grid.toml", text);
  };
  with("max_epochs = 150", "max_epochs = 151");
  ShellResult result = Shell(SweepCommand("out"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("its overrides.max_epochs is \"150\", not \"151\""));
  with("trials = 2", "trials = 3");
  EXPECT_EQ(Shell(SweepCommand("out")).exit_code, 2);
  EXPECT_EQ(Shell(SweepCommand("out", "--extend --only trial=3")).exit_code, 0);
  EXPECT_EQ(Status("out")["runs"], 12);
  EXPECT_EQ(Status("out")["finished"], 6);
  with("trials = 2", "trials = 1");
  result = Shell(SweepCommand("out", "--extend"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("which the new grid lacks"));
  // Data made by another recipe.
  with("splits.train.size = 100", "splits.train.size = 101");
  result = Shell(SweepCommand("elsewhere"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("splits.train.size"));
}

// A file that may not grow stands for a full disk.
TEST_F(SweepTest, AFullDiskStopsItAndItGoesOnLater) {
  ASSERT_EQ(Shell(SweepCommand("whole")).exit_code, 0);
  const ShellResult full = Shell("ulimit -Sf 8; " + SweepCommand("full", "--jobs 2"));
  EXPECT_EQ(full.exit_code, 3) << full.output;
  EXPECT_THAT(full.output, HasSubstr("File too large"));
  const ShellResult later = Shell(SweepCommand("full", "--jobs 2"));
  EXPECT_EQ(later.exit_code, 0) << later.output;
  EXPECT_EQ(RunsOf(folder_.path() / "full"), RunsOf(folder_.path() / "whole"));
}

TEST_F(SweepTest, FourThousandRunsAreCountedQuickly) {
  WriteFile(folder_.path() / "grid.toml", R"(
languages = ["parity"]
architectures = ["rnn"]
losses = ["rec"]
validations = ["short"]
budgets = [1000]
trials = 4320
[data]
splits.train.size = 10
splits.validation-short.size = 10
splits.test.size = 10
splits.validation-long.size = 0
splits.test-short-held-out.size = 0
splits.test-edit-distance.size = 0
)");
  const std::string plan = FlareProgram() + " sweep plan grid.toml --data data --out out";
  ASSERT_EQ(Shell(plan).exit_code, 0);
  // Processor time: others may have the cores.
  const double before = CpuSecondsOfChildren();
  ASSERT_EQ(Shell(plan).exit_code, 0);
  const ShellResult list = Shell(FlareProgram() + " sweep list out --left");
  EXPECT_EQ(Lines(list.output).size(), 1 + 4320u);
  EXPECT_LT(CpuSecondsOfChildren() - before, 2 * kSlowness);
  FakeSweep fake(
      folder_.path() / "fake",
      {.variants = {"rnn"}, .losses = {"rec"}, .validations = {"short"}, .trials = 4320});
  for (std::size_t trial = 1; trial <= 4320; ++trial) {
    // On a machine that was shared, a run takes longer and costs the same.
    fake.Add({.trial = trial, .seconds = 3, .cpu_seconds = 2});
  }
  const double planned = CpuSecondsOfChildren();
  const Json status = Status("fake");
  EXPECT_LT(CpuSecondsOfChildren() - planned, 3 * kSlowness);
  EXPECT_EQ(status["finished"], 4320);
  EXPECT_EQ(status["core_seconds_spent"], 8640);
}

// A program that answers the same of every string.
class ProgramSweepTest : public SweepTest {
 protected:
  void SetUp() override {
    SweepTest::SetUp();
    std::string grid = ReadFile(folder_.path() / "grid.toml");
    const std::string architectures = R"(["rnn", "transformer"])";
    grid.replace(grid.find(architectures), architectures.size(),
                 R"([{name = "mine", command = ["sh", "mine.sh"]}])");
    WriteFile(folder_.path() / "grid.toml", grid);
    WriteProgram(1);
  }
  void WriteProgram(int logit) {
    WriteFile(folder_.path() / "mine.sh",
              "mkdir -p $1/logits\nanswer() { sed s/.*/" + std::to_string(logit) + R"(/ $1; }
answer data/parity/main.tok > $1/logits/train.txt
for split in data/parity/datasets/*; do
  answer $split/main.tok > $1/logits/$(basename $split).txt
done
)");
  }
  std::string Work(const std::string& more) {
    return FlareProgram() + " sweep work out --only language=parity " + more;
  }
};

TEST_F(ProgramSweepTest, AnEditedProgramIsNotAveragedWithItsFormerSelf) {
  ASSERT_EQ(Shell(SweepCommand("out", "--only language=parity --only trial=1")).exit_code, 0);
  WriteProgram(-1);
  const ShellResult edited = Shell(Work("--only trial=2"));
  EXPECT_EQ(edited.exit_code, 1) << edited.output;
  EXPECT_THAT(edited.output, HasSubstr("mine.sh: has changed since "
                                       "parity/mine/rec/short/1000/1 was finished with it"));
  // As it was, it goes on.
  WriteProgram(1);
  EXPECT_EQ(Shell(Work("--retry-failed")).exit_code, 0);
  EXPECT_EQ(Status("out")["finished"], 2);
}

TEST_F(ProgramSweepTest, RunsOfDifferentProgramsAreReportedApart) {
  ASSERT_EQ(Shell(SweepCommand("out", "--only language=parity --only trial=1")).exit_code, 0);
  WriteProgram(-1);
  ASSERT_EQ(Shell(SweepCommand("two", "--only language=parity --only trial=2")).exit_code, 0);
  const std::string run = "/runs/parity/mine/rec/short/1000/";
  fs::copy(folder_.path() / ("two" + run + "2"), folder_.path() / ("out" + run + "2"),
           fs::copy_options::recursive);
  for (const std::string sweeps : {"out", "out two"}) {
    const ShellResult report = Shell(FlareProgram() + " report " + sweeps +
                                     " --to report && grep -oh 'mine (program [0-9a-f]*)' "
                                     "report/tables/main.csv | sort -u | wc -l");
    EXPECT_THAT(report.output, testing::EndsWith("2\n"));
  }
}

TEST_F(ProgramSweepTest, AnEditedProgramStartsItsUnfinishedRunOver) {
  WriteFile(folder_.path() / "mine.sh", "echo half > $1/checkpoint.txt; exit 1\n");
  const std::string only = "--only language=parity --only trial=1";
  ASSERT_EQ(Shell(SweepCommand("out", only)).exit_code, 1);
  WriteProgram(1);
  WriteFile(folder_.path() / "mine.sh",
            "test ! -e $1/checkpoint.txt || exit 1\n" + ReadFile(folder_.path() / "mine.sh"));
  const ShellResult retried = Shell(SweepCommand("out", only + " --retry-failed"));
  EXPECT_EQ(retried.exit_code, 0) << retried.output;
}

TEST_F(ProgramSweepTest, SomebodyElsesCommandsNeedConsentOnce) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string flare = FlareProgram(), home = "export HOME=$PWD XDG_CONFIG_HOME=; ";
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out out").exit_code, 0);
  // One's own sweep needs none.
  EXPECT_EQ(Shell(home + Work("--only trial=1")).exit_code, 0);
  ASSERT_EQ(Shell("chown 65534 out/sweep.json").exit_code, 0);
  WriteFile(folder_.path() / "sbatch", "#!/bin/sh\necho 1; touch submitted\n");
  fs::permissions(folder_.path() / "sbatch", fs::perms::owner_all);
  const std::string submit = "PATH=$PWD:$PATH " + flare + " sweep submit out --slurm ";
  for (const std::string& command : {Work(""), submit}) {
    const ShellResult refused = Shell(home + command);
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("somebody else's sweep"));
    EXPECT_THAT(refused.output, HasSubstr("\n  sh mine.sh\n"));
    EXPECT_THAT(refused.output, HasSubstr("--yes"));
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "submitted"));
  EXPECT_EQ(Status("out")["finished"], 1);
  const ShellResult agreed = Shell(home + submit + "--yes");
  EXPECT_EQ(agreed.exit_code, 0) << agreed.output;
  EXPECT_THAT(agreed.output, HasSubstr("agreed to: sh mine.sh\n"));
  // The nodes do not ask again, and nobody else is meant.
  EXPECT_EQ(Shell("export HOME=$PWD/other; " + Work("")).exit_code, 2);
  EXPECT_EQ(Shell(home + Work("")).exit_code, 0);
  EXPECT_EQ(Status("out")["finished"], 2);
  // Another command is another consent; whoever gives the grid has chosen it.
  std::string grid = ReadFile(folder_.path() / "grid.toml");
  grid.replace(grid.find("\"mine.sh\""), 9, "\"-e\", \"mine.sh\"");
  WriteFile(folder_.path() / "grid.toml", grid);
  ASSERT_EQ(Shell(flare + " sweep plan grid.toml --data data --out new").exit_code, 0);
  ASSERT_EQ(Shell("chown 65534 new/sweep.json").exit_code, 0);
  const std::string work = flare + " sweep work new --only language=parity";
  EXPECT_EQ(Shell(home + work).exit_code, 2);
  EXPECT_EQ(Shell(home + flare + " sweep plan grid.toml --data data --out new").exit_code, 0);
  EXPECT_EQ(Shell(home + work).exit_code, 0);
}

}  // namespace
}  // namespace flare
