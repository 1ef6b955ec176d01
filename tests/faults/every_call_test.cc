// Every call that writes, made to fail in turn: afterwards there is the old state or the new one,
// the message names the file and the reason, and the same command, run again, reaches the same
// result.
//
// FLARE_FAULTS=all also tries the rarer faults, and the calls that read.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <tuple>

#include "faults/tiny_commands.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "support/same_run.h"

namespace flare {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

bool All() {
  const char* wanted = std::getenv("FLARE_FAULTS");
  return wanted != nullptr && std::string_view(wanted) == "all";
}

std::vector<Fault> Errors(const std::string& call) {
  static const std::map<std::string, std::vector<int>> usual = {
      {"open-write", {ENOSPC}}, {"write", {ENOSPC}}, {"pwrite", {ENOSPC}},   {"fsync", {EIO}},
      {"close-write", {EIO}},   {"rename", {EIO}},   {"link", {EPERM}},      {"mkdir", {ENOSPC}},
      {"unlink", {EIO}},        {"flock", {ENOLCK}}, {"getrandom", {ENOSYS}}};
  static const std::map<std::string, std::vector<int>> rare = {
      {"open-write", {EIO, EACCES, EMFILE, EROFS}},
      {"write", {EIO, EDQUOT}},
      {"pwrite", {EIO, EDQUOT}},
      {"fsync", {ENOSPC}},
      {"close-write", {ENOSPC}},
      {"close-read", {EIO}},
      {"rename", {ENOSPC, EROFS}},
      {"link", {EIO, ENOSPC}},
      {"mkdir", {EIO, EROFS}},
      {"unlink", {EROFS}},
      {"open-read", {EIO, EMFILE}},
      {"open-directory", {EIO, EMFILE}},
      {"read", {EIO}},
      {"stat", {EIO}},
      {"mmap", {ENOMEM}}};
  std::vector<Fault> faults;
  for (const auto* table : {&usual, &rare}) {
    if (table == &rare && !All()) break;
    const auto found = table->find(call);
    if (found == table->end()) continue;
    for (const int error : found->second) faults.push_back({"error", error});
  }
  if (call == "write" || call == "pwrite") faults.push_back({"short-then-error", ENOSPC});
  // A disk that stays full, or becomes read-only, or broken.
  if (All() && (call == "open-write" || call == "write" || call == "pwrite" || call == "mkdir")) {
    faults.push_back({"error-from-here", ENOSPC});
  }
  if (All() && (call == "open-write" || call == "mkdir" || call == "rename")) {
    faults.push_back({"error-from-here", EROFS});
  }
  if (All() && call != "mmap" && call != "stat") faults.push_back({"error-from-here", EIO});
  return faults;
}

// What a program must cope with, where the call's manual mentions it.
std::vector<Fault> Harmless(const std::string& call) {
  const bool rarely = All() && (call == "open-read" || call.starts_with("close"));
  const bool transfers = call == "write" || call == "pwrite" || (All() && call == "read");
  std::vector<Fault> faults;
  if (transfers) faults.push_back({"short"});
  if (transfers || call == "open-write" || call == "fsync" || rarely) {
    faults.push_back({"error", EINTR});
  }
  return faults;
}

std::vector<Fault> Kills(const std::string& call) {
  static const std::set<std::string> writing = {"open-write", "write", "pwrite", "fsync",
                                                "rename",     "link",  "mkdir",  "unlink"};
  if (!writing.contains(call)) return {};
  if (call == "write" || call == "pwrite") return {{"kill-before"}, {"kill-after"}};
  if (All()) return {{"kill-before"}, {"kill-after"}};
  return {{"kill-after"}};
}

bool IsTemporary(const std::string& path) {
  return path.ends_with(".tmp") || path.find(".partial") != std::string::npos;
}

// The part of a path that a message must name: parity of data/.parity.partial, and a.json of
// b/a.json.flare.#.tmp.
std::string NamedPart(const std::string& path) {
  std::string name = fs::path(path).filename();
  if (name.starts_with('.')) name.erase(0, 1);
  for (const char* tail : {" (deleted)", ".tmp", ".#", ".flare", ".lock", ".partial"}) {
    if (name.ends_with(tail)) name.erase(name.size() - std::strlen(tail));
  }
  return name;
}

class EveryCall : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  EveryCall() : command_(std::get<0>(GetParam())) {
    command_.Prepare();
    before_ = TimelessContents(command_.work());
    points_ = command_.injector().Trace(command_.arguments());
    after_ = TimelessContents(command_.work());
  }

  // Whether an error may go unnoticed: the result does not depend on these.
  static bool MayBeIgnored(const FaultPoint& point) {
    if (point.call == "unlink" || point.call == "close-read" || point.call == "open-directory" ||
        point.call == "stat" || point.call == "flock") {
      return true;
    }
    return point.call == "close-write" && !IsTemporary(point.path);
  }

  Files Results() const {
    Files files = TimelessContents(command_.work());
    std::erase_if(files, [](const auto& file) { return IsTemporary(file.first); });
    return files;
  }

  // Nothing half-written has a name by which it would be taken for whole.
  void CheckBetween() const {
    for (const auto& [path, contents] : TimelessContents(command_.work())) {
      const std::string name = fs::path(path).filename();
      if (IsTemporary(path) || name == "checkpoint.safetensors") continue;
      if (name == "events.jsonl") {
        CheckLines(contents);
        continue;
      }
      const auto old = before_.find(path), whole = after_.find(path);
      EXPECT_TRUE((old != before_.end() && old->second == contents) ||
                  (whole != after_.end() && whole->second == contents))
          << path << " is neither the old file nor the new one:\n"
          << contents;
    }
    CheckDatasets();
    if (fs::exists(command_.work() / "out" / "sweep.json")) {
      const auto status = command_.injector().Run({"sweep", "status", "work/out", "--json"});
      EXPECT_EQ(status.exit_code, 0) << status.errors;
      EXPECT_TRUE(Json::parse(status.output, nullptr, false).is_object()) << status.output;
    }
  }

  // The last line may be torn.
  static void CheckLines(const std::string& text) {
    const std::string whole = text.substr(0, text.rfind('\n') + 1);
    for (const std::string_view line : Lines(whole)) {
      EXPECT_TRUE(Json::parse(line, nullptr, false).is_object()) << line;
    }
  }

  // All of a dataset or nothing.
  void CheckDatasets() const {
    const fs::path dataset = command_.work() / "data" / "parity";
    if (!fs::exists(dataset)) return;
    for (const auto& [path, contents] : after_) {
      if (path.starts_with("data/parity/")) {
        EXPECT_TRUE(fs::exists(command_.work() / path)) << path;
      }
    }
  }

  void CheckLeftovers() const {
    for (const auto& entry : fs::recursive_directory_iterator(command_.work())) {
      const std::string path = entry.path().lexically_relative(command_.work());
      EXPECT_FALSE(IsTemporary(path) || entry.path().filename().string().starts_with("lock") ||
                   path.ends_with(".lock"))
          << path << " is left";
    }
  }

  void Inject(const FaultPoint& point, const Fault& fault, bool harmless) {
    SCOPED_TRACE(point.Describe() + ", " + fault.Describe());
    command_.Prepare();
    const FaultyRun faulty = command_.injector().Run(command_.arguments(), point, fault);
    const std::string& errors = faulty.result.errors;
    const int code = faulty.result.exit_code;
    SCOPED_TRACE(fmt::format("exit code {}, {}", code, errors));
    EXPECT_TRUE(faulty.reached);
    if (fault.Kills()) {
      // The process of a run may be the one that died; the sweep then continues the run.
      EXPECT_TRUE(code == 128 + 9 || code == 0);
    } else if (point.call == "mmap") {
      // libxsmm 1.17 runs code from memory that it could not map as executable, and crashes.
      EXPECT_TRUE(code == 128 + 11 || code == 3 || code == 0);
    } else if (harmless) {
      EXPECT_EQ(code, 0);
    } else if (code != 0 || !MayBeIgnored(point)) {
      // If a lock cannot be looked at, nobody knows whether it is still ours.
      const bool lost = (point.call == "stat" && point.path.ends_with("/lock")) ||
                        fault.kind == "error-from-here";
      EXPECT_TRUE(code == 3 || (code == 1 && lost));
      // The library names what came of it, or the run is taken for another process's.
      if (point.call == "stat" || code == 1) return CheckAfter(code);
      EXPECT_THAT(errors, HasSubstr(std::strerror(fault.error)));
      EXPECT_THAT(errors, Not(HasSubstr("flare: :")));
      // A disk that stays broken may be noticed at another file, a directory within another one.
      if (fault.kind != "error-from-here" && point.call != "open-directory") {
        EXPECT_THAT(errors, HasSubstr(NamedPart(point.path)));
      }
    }
    // What the disk refused to remove stays.
    CheckAfter(code, point.call != "unlink");
  }

  void CheckAfter(int code, bool is_clean = true) const {
    CheckBetween();
    if (code == 0) EXPECT_EQ(Results(), after_);

    const ProgramResult again = command_.injector().Run(command_.arguments());
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    if (is_clean) CheckLeftovers();
    EXPECT_EQ(Results(), after_);
  }

  TinyCommand command_;
  Files before_, after_;
  std::vector<FaultPoint> points_;
};

TEST_P(EveryCall, LeavesTheOldStateOrTheNew) {
  const std::string group = std::get<1>(GetParam());
  std::map<std::string, int> injected;
  for (const FaultPoint& point : points_) {
    // A run that crashes is not tried again by itself, so that the sweep does not continue.
    if (point.call == "mmap" && command_.arguments()[0] == "sweep") continue;
    const auto faults = group == "errors"  ? Errors(point.call)
                        : group == "kills" ? Kills(point.call)
                                           : Harmless(point.call);
    for (const Fault& fault : faults) {
      Inject(point, fault, group == "harmless");
      ++injected[point.call];
    }
  }
  int all = 0;
  std::string by_call;
  for (const auto& [call, count] : injected) {
    all += count;
    by_call += fmt::format(" {} {}", count, call);
  }
  EXPECT_GT(all, 10);
  fmt::print("{} {} of {} calls:{}\n", all, group, points_.size(), by_call);
}

INSTANTIATE_TEST_SUITE_P(, EveryCall,
                         testing::Combine(testing::Values("generate", "train", "sweep", "report",
                                                          "evaluate"),
                                          testing::Values("errors", "harmless", "kills")),
                         [](const auto& each) {
                           return fmt::format("{}_{}", std::get<0>(each.param),
                                              std::get<1>(each.param));
                         });

// A directory that cannot be looked at was once called something other than a directory.
TEST(FailedLook, AnErrorIsTheMachinesNotTheUsers) {
  const TinyCommand train("train");
  train.Prepare();
  int looks = 0;
  for (const FaultPoint& point : train.injector().Trace(train.arguments())) {
    if (point.call != "stat" || point.path != "work/run") continue;
    SCOPED_TRACE(point.Describe());
    train.Prepare();
    const auto faulty = train.injector().Run(train.arguments(), point, {"error", EIO});
    EXPECT_TRUE(faulty.result.exit_code == 0 || faulty.result.exit_code == 3)
        << faulty.result.exit_code << faulty.result.errors;
    ++looks;
  }
  EXPECT_GT(looks, 0);
}

// The lock of a process that died may disappear between two looks at it, and on NFS be stale first:
// then it is free. If it cannot be read, nobody knows.
TEST(FailedLook, LockThatVanishesMeanwhileDoesNoHarm) {
  const TinyCommand train("train");
  const auto die_with_the_lock = [&] {
    train.Prepare();
    const FaultPoint taken{"link", "work/run/lock"};
    const auto dead = train.injector().Run(train.arguments(), taken, {"kill-after"});
    EXPECT_EQ(dead.result.exit_code, 128 + 9);
    EXPECT_TRUE(fs::exists(train.work() / "run" / "lock"));
  };
  die_with_the_lock();
  std::map<std::string, int> looks;
  for (const FaultPoint& point : train.injector().Trace(train.arguments())) {
    const bool reads = point.call == "open-read";
    if (point.path != "work/run/lock" || !(reads || point.call == "stat")) continue;
    for (const int error : {ENOENT, ESTALE, EIO}) {
      SCOPED_TRACE(point.Describe() + std::strerror(error));
      die_with_the_lock();
      const auto faulty = train.injector().Run(train.arguments(), point, {"error", error});
      SCOPED_TRACE(faulty.result.errors);
      if (reads) {
        EXPECT_EQ(faulty.result.exit_code, error == EIO ? 3 : 0);
      } else {
        // Whoever does not find its own lock takes the run for lost.
        EXPECT_TRUE(faulty.result.exit_code <= 1 || (error == EIO && faulty.result.exit_code == 3));
      }
      EXPECT_EQ(train.injector().Run(train.arguments()).exit_code, 0);
    }
    ++looks[point.call];
  }
  EXPECT_GT(looks["open-read"], 0);
  EXPECT_GT(looks["stat"], 0);
}

// Nothing has a name yet, so nothing is there.
TEST(FailedLook, UnsearchableDatasetIsTheMachinesFault) {
  const TinyCommand generate("generate");
  generate.Prepare();
  int looks = 0;
  for (const FaultPoint& point : generate.injector().Trace(generate.arguments())) {
    if (point.call != "open-directory") continue;
    SCOPED_TRACE(point.Describe());
    generate.Prepare();
    const auto faulty = generate.injector().Run(generate.arguments(), point, {"error", EIO});
    SCOPED_TRACE(faulty.result.errors);
    EXPECT_TRUE(faulty.result.exit_code == 3 || faulty.result.exit_code == 0);
    EXPECT_EQ(fs::exists(generate.work() / "data" / "parity"), faulty.result.exit_code == 0);
    EXPECT_EQ(generate.injector().Run(generate.arguments()).exit_code, 0);
    ++looks;
  }
  EXPECT_GT(looks, 0);
}

// What nobody expects is reported too, and does no more harm than a crash.
TEST(Exceptions, UnexpectedExceptionsAreReported) {
  const TinyCommand generate("generate");
  generate.Prepare();
  int tried = 0;
  for (const FaultPoint& point : generate.injector().Trace(generate.arguments())) {
    if (point.call != "fsync") continue;
    ++tried;
    SCOPED_TRACE(point.Describe());
    generate.Prepare();
    const auto faulty = generate.injector().Run(generate.arguments(), point, {"exception"});
    EXPECT_EQ(faulty.result.exit_code, 3);
    EXPECT_THAT(faulty.result.errors, HasSubstr("flare: unexpected: nobody expects this"));
    EXPECT_EQ(generate.injector().Run(generate.arguments()).exit_code, 0);
  }
  EXPECT_GT(tried, 0);
}

// A mistake of ours ends the program, whichever of its threads made it.
TEST(Exceptions, ChecksThatFailAreReportedAndAbort) {
  for (const char* name : {"generate", "train"}) {
    const TinyCommand command(name);
    command.Prepare();
    const auto calls = command.injector().Trace(command.arguments());
    const auto sync = std::find_if(calls.begin(), calls.end(),
                                   [](const FaultPoint& point) { return point.call == "fsync"; });
    ASSERT_NE(sync, calls.end());
    command.Prepare();
    const auto faulty = command.injector().Run(command.arguments(), *sync, {"check"});
    EXPECT_EQ(faulty.result.exit_code, 128 + SIGABRT) << name;
    EXPECT_TRUE(faulty.result.errors.ends_with("here.cc:1: check failed: false\n"))
        << faulty.result.errors;
  }
}

TEST(Exceptions, ACheckThatFailsInARunOfASweepIsThatRunsFailure) {
  const TinyCommand sweep("sweep");
  sweep.Prepare();
  const auto faulty = sweep.injector().Run(
      sweep.arguments(),
      {"fsync", "work/out/runs/parity/rnn/rec/short/100/1/checkpoint.safetensors.flare.#.tmp", 1},
      {"check"});
  EXPECT_TRUE(faulty.reached);
  for (const char* said :
       {"here.cc:1: check failed: false\n", "failed: its process died: Aborted"}) {
    EXPECT_THAT(faulty.result.errors, HasSubstr(said));
  }
}

// mkdir may not throw, so nobody can catch what is thrown in it; fsync may.
TEST(Exceptions, MemoryThatIsRefusedAnywhereIsReported) {
  for (const char* name : {"generate", "sweep"}) {
    const TinyCommand command(name);
    command.Prepare();
    std::set<std::string> tried;
    for (const FaultPoint& point : command.injector().Trace(command.arguments())) {
      if (point.call != "mkdir" && point.call != "fsync") continue;
      SCOPED_TRACE(point.Describe());
      command.Prepare();
      const auto faulty = command.injector().Run(command.arguments(), point, {"no-memory"});
      EXPECT_EQ(faulty.result.exit_code, 3);
      EXPECT_THAT(faulty.result.errors, HasSubstr("out of memory\n"));
      tried.insert(point.call);
      EXPECT_EQ(command.injector().Run(command.arguments()).exit_code, 0);
    }
    EXPECT_EQ(tried.size(), 2u);
  }
}

// A run whose lock is not found is somebody else's now; the sweep comes back to it.
TEST(FailedLook, MissingARunsLockDoesNoHarm) {
  const TinyCommand sweep("sweep");
  sweep.Prepare();
  int looks = 0;
  for (const FaultPoint& point : sweep.injector().Trace(sweep.arguments())) {
    const bool of_a_run = point.path.starts_with("work/out/runs/") && point.path.ends_with("/lock");
    // Each costs the sweep the time until it looks again.
    if (point.call != "stat" || !of_a_run || looks == 3) continue;
    SCOPED_TRACE(point.Describe());
    sweep.Prepare();
    const auto faulty = sweep.injector().Run(sweep.arguments(), point, {"error", ENOENT});
    EXPECT_TRUE(faulty.result.exit_code <= 1) << faulty.result.errors;
    EXPECT_EQ(sweep.injector().Run(sweep.arguments()).exit_code, 0);
    ++looks;
  }
  EXPECT_GT(looks, 1);
}

}  // namespace
}  // namespace flare
