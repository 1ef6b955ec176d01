// A machine that runs out of memory, descriptors or space, or whose clock goes back.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

#include "faults/tiny_commands.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "support/paths.h"
#include "support/same_run.h"
#include "support/sanitizers.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

class Limits : public testing::TestWithParam<const char*> {
 protected:
  Limits() : command_(GetParam()) {
    command_.Prepare();
    const ProgramResult whole = command_.injector().Run(command_.arguments());
    EXPECT_EQ(whole.exit_code, 0) << whole.errors;
    after_ = TimelessContents(command_.work());
  }

  // Whatever the machine refused: the same command works once it no longer does.
  void CheckResuming() const {
    const ProgramResult again = command_.injector().Run(command_.arguments());
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_EQ(TimelessContents(command_.work()), after_);
  }

  const TinyCommand command_;
  std::map<std::string, std::string> after_;
};

INSTANTIATE_TEST_SUITE_P(, Limits,
                         testing::Values("generate", "train", "sweep", "report", "evaluate"),
                         [](const auto& each) { return std::string(each.param); });

std::vector<std::string> RefusingMemory(long nth, const fs::path& log) {
  return {std::string("LD_PRELOAD=") + ALLOCATION_SHIM, fmt::format("FAULT_ALLOCATION={}", nth),
          "FAULT_LOG=" + log.string(), "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"};
}

// FLARE_FAULTS=all refuses more of them.
TEST_P(Limits, AnAllocationThatFailsIsReported) {
  const fs::path log = command_.folder() / "allocations";
  command_.Prepare();
  ASSERT_EQ(command_.injector().Run(command_.arguments(), RefusingMemory(0, log)).exit_code, 0);
  const long count = std::atol(ReadFile(log).c_str());
  ASSERT_GT(count, 1000);
  const char* wanted = std::getenv("FLARE_FAULTS");
  const long steps = wanted != nullptr && std::string_view(wanted) == "all" ? 200 : 12;
  long reported = 0;
  for (long i = 0; i < steps; ++i) {
    // The last ones may not be reached: not all runs allocate exactly as often.
    const long nth = 1 + i * (count - 10) / steps;
    SCOPED_TRACE(fmt::format("allocation {} of {}", nth, count));
    command_.Prepare();
    const ProgramResult result =
        command_.injector().Run(command_.arguments(), RefusingMemory(nth, log));
    EXPECT_TRUE(result.exit_code == 3 || result.exit_code == 0)
        << result.exit_code << result.errors;
    if (result.exit_code == 3) {
      ++reported;
      EXPECT_THAT(result.errors, HasSubstr("out of memory"));
    }
    CheckResuming();
  }
  EXPECT_GT(reported, steps / 2);
  fmt::print("{} of {} allocations refused\n", steps, count);
}

// With a limit on memory, from the least with which the program starts to one that suffices.
TEST_P(Limits, TooLittleAddressSpaceIsReported) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer reserves terabytes";
#endif
  const auto run = [&](long kilobytes, const std::string& arguments) {
    // Threads of a BLAS that happens to be installed are not ours to test.
    return RunShell(fmt::format("ulimit -v {}; OPENBLAS_NUM_THREADS=1 timeout 60 {} {}", kilobytes,
                                FlareProgram(), arguments),
                    command_.folder());
  };
  std::string arguments;
  for (const std::string& argument : command_.arguments()) arguments += argument + " ";
  const std::string name = GetParam();
  if (name == "sweep") GTEST_SKIP() << "its runs are those of train";
  const bool compiles_kernels = name == "train" || name == "evaluate";
  long start = 20'000;
  while (run(start, "--version").exit_code != 0) start += 1000;
  int refused = 0;
  for (long kilobytes = start;; kilobytes += 1000 + (kilobytes - start) / 2) {
    SCOPED_TRACE(kilobytes);
    ASSERT_LT(kilobytes, 4'000'000);
    command_.Prepare();
    const ShellResult result = run(kilobytes, arguments);
    CheckResuming();
    if (result.exit_code == 0) break;
    ++refused;
    // libxsmm 1.17 runs code from memory that it could not map as executable, and crashes.
    if (compiles_kernels && result.exit_code == 128 + 11) continue;
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, AnyOf(HasSubstr("out of memory"), HasSubstr("cannot start a thread"),
                                     HasSubstr("Cannot allocate memory")));
  }
  fmt::print("{} limits from {} kB refused\n", refused, start);
}

// One descriptor more each time, until there are enough.
TEST_P(Limits, TooFewDescriptorsAreReported) {
  if (kSanitized)
    GTEST_SKIP() << "the undefined-behaviour sanitizer opens pipes to look at objects";
  std::string arguments;
  for (const std::string& argument : command_.arguments()) arguments += argument + " ";
  int refused = 0;
  for (int descriptors = 4;; ++descriptors) {
    SCOPED_TRACE(descriptors);
    ASSERT_LT(descriptors, 30);
    command_.Prepare();
    const ShellResult result =
        RunShell(fmt::format("prlimit --nofile={} {} {}", descriptors, FlareProgram(), arguments),
                 command_.folder());
    CheckResuming();
    if (result.exit_code == 0) break;
    // Too few to start it: its libraries are files too, besides those that it inherits.
    if (result.output.find("while loading shared libraries") != std::string::npos) continue;
    ++refused;
    EXPECT_EQ(result.exit_code, 3) << result.output;
    EXPECT_THAT(result.output, HasSubstr("Too many open files"));
  }
  // A report and an evaluation need no more at once than loading their libraries did.
  const std::string command = GetParam();
  EXPECT_GT(refused, command == "report" || command == "evaluate" ? -1 : 0);
}

TEST_P(Limits, AReadOnlyDiskIsReportedAndLeftAsItIs) {
  command_.Prepare();
  const auto before = TimelessContents(command_.work());
  const std::vector<FaultPoint> points = command_.injector().Trace(command_.arguments());
  for (const FaultPoint& point : points) {
    if (point.call != "mkdir" && point.call != "open-write") continue;
    command_.Prepare();
    const FaultyRun run =
        command_.injector().Run(command_.arguments(), point, {"error-from-here", EROFS});
    EXPECT_TRUE(run.reached);
    EXPECT_EQ(run.result.exit_code, 3) << run.result.errors;
    EXPECT_THAT(run.result.errors, HasSubstr("Read-only file system"));
    EXPECT_EQ(TimelessContents(command_.work()), before);
    return;
  }
  FAIL() << "nothing is written";
}

// The same with a real disk, where the system lets us mount one.
class Mounted : public Limits {
 protected:
  void SetUp() override {
    if (RunShell("unshare -m mount -t tmpfs none /mnt").exit_code != 0) {
      GTEST_SKIP() << "mounting is not allowed here";
    }
  }
  // Runs the command twice, with the work folder on a disk that was mounted with the options;
  // before the second time it is mounted again with the others. What is written between is printed.
  ShellResult Run(const std::string& options, const std::string& later) const {
    std::string arguments;
    for (const std::string& argument : command_.arguments()) arguments += argument + " ";
    const std::string command = FlareProgram() + " " + arguments;
    return RunShell(fmt::format("unshare -m bash -c '"
                                "mount -t tmpfs -o {} none work && "
                                "{{ {} > /dev/null; echo exit $?; mount -o remount,{} work; {} > "
                                "/dev/null && cp -r work/. result; }}'",
                                options, command, later, command),
                    command_.folder());
  }
};

INSTANTIATE_TEST_SUITE_P(, Mounted, testing::Values("generate", "train", "sweep"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Mounted, AFullDiskIsReportedAndMoreRoomLetsItGoOn) {
  int refused = 0;
  // Each file takes a page of 4 kB at least.
  for (int pages = 2;; pages += 3) {
    SCOPED_TRACE(pages);
    ASSERT_LT(pages, 200);
    command_.Prepare();
    fs::remove_all(command_.folder() / "result");
    fs::create_directory(command_.folder() / "result");
    const ShellResult result = Run(fmt::format("size={}k", 4 * pages), "size=10m");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(TimelessContents(command_.folder() / "result"), after_) << result.output;
    if (result.output.find("exit 0\n") != std::string::npos) break;
    ++refused;
    EXPECT_THAT(result.output, HasSubstr("exit 3\n"));
    EXPECT_THAT(result.output, HasSubstr("No space left on device"));
  }
  EXPECT_GT(refused, 2);
  fmt::print("{} sizes of disk were too small\n", refused);
}

TEST_P(Mounted, AReadOnlyDiskIsReported) {
  command_.Prepare();
  fs::create_directory(command_.folder() / "result");
  const ShellResult result = Run("ro", "rw");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("exit 3\n"));
  EXPECT_THAT(result.output, HasSubstr("Read-only file system"));
  EXPECT_EQ(TimelessContents(command_.folder() / "result"), after_) << result.output;
}

// Nothing but what is written as a time depends on the clock, not even a duration.
TEST_P(Limits, AClockThatGoesBackChangesNoResult) {
  command_.Prepare();
  const ProgramResult result = command_.injector().Run(
      command_.arguments(), {std::string("LD_PRELOAD=") + CLOCK_SHIM,
                             "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(TimelessContents(command_.work()), after_);
  for (const auto& entry : fs::recursive_directory_iterator(command_.work())) {
    if (entry.path().filename() != "result.json") continue;
    const Json json = Json::parse(ReadFile(entry.path()));
    for (const char* key : {"seconds", "training_seconds", "examples_per_second"}) {
      EXPECT_GT(json.at(key).get<double>(), 0) << key;
    }
    EXPECT_LT(json.at("seconds").get<double>(), 60);
    // Check that the clock did go back.
    std::vector<std::string> times;
    const std::string events = ReadFile(entry.path().parent_path() / "events.jsonl");
    for (const std::string_view line : Lines(events)) {
      times.push_back(Json::parse(line).at("time"));
    }
    ASSERT_GT(times.size(), 1u);
    EXPECT_GT(times.front(), times.back());
  }
}

// It would end silently, somewhere.
TEST(Stack, TooSmallAStackIsReported) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more stack than that itself";
  const std::string flare = FlareProgram();
  const ShellResult small = RunShell("ulimit -s 128; " + flare + " sample parity -n 1");
  EXPECT_EQ(small.exit_code, 3) << small.output;
  EXPECT_EQ(small.output, "flare: the stack limit (ulimit -s) is below 4096 kB\n");
  const ShellResult enough =
      RunShell("ulimit -s 4096; " + flare + " sample dyck-2-3 -n 100 --max-length 500 | wc -l");
  EXPECT_EQ(enough.output, "100\n");
  const std::string deepest = std::string(249, '(') + "~a" + std::string(249, ')');
  const ShellResult deep = RunShell("ulimit -s 4096; " + flare + " show 'regex:" + deepest + "'");
  EXPECT_EQ(deep.exit_code, 0) << deep.output;
}

}  // namespace
}  // namespace flare
