#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/process.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// A process that sleeps until it is told to end.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  ~Sleeper() { End(); }
  void End() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = 0;
  }
  ProcessIdentity identity() const {
    ProcessIdentity identity = OwnIdentity();
    identity.pid = pid_;
    std::string stat = ReadFile("/proc/" + std::to_string(pid_) + "/stat");
    for (int field = 2; field <= 22; ++field) stat.erase(0, stat.find(' ', 1));
    identity.start_time = std::stoull(stat);
    return identity;
  }

 private:
  pid_t pid_;
};

TEST(ProcessIdentity, TheKernelKnowsWhoLivesHere) {
  EXPECT_EQ(LookAtProcess(OwnIdentity()), Life::kThere);
  Sleeper sleeper;
  const ProcessIdentity identity = sleeper.identity();
  EXPECT_EQ(LookAtProcess(identity), Life::kThere);
  ProcessIdentity earlier = identity;
  --earlier.start_time;
  EXPECT_EQ(LookAtProcess(earlier), Life::kGone);
  sleeper.End();
  EXPECT_EQ(LookAtProcess(identity), Life::kGone);
}

TEST(ProcessIdentity, ForeignProcessesAreUnknown) {
  const ProcessIdentity self = OwnIdentity();
  const auto with = [&](auto change) {
    ProcessIdentity other = self;
    change(other);
    return LookAtProcess(other);
  };
  // A virtual machine that was cloned from ours has our boot id.
  EXPECT_EQ(with([](auto& other) { other.host += "-clone"; }), Life::kUnknown);
  EXPECT_EQ(with([](auto& other) { other.boot += " time:[1]"; }), Life::kUnknown);
  EXPECT_EQ(with([](auto& other) { other.boot.clear(); }), Life::kUnknown);
  EXPECT_EQ(with([](auto& other) { other.pid = 0; }), Life::kUnknown);
}

// Whoever cannot look does not know, and must not say that nobody is there.
class LookAtUnreadableProcess : public testing::Test {
 protected:
  // A /proc with the given file of the sleeping process.
  Life LookIn(const std::string& stat) {
    const ProcessIdentity identity = sleeper_.identity();
    fs::remove_all(proc_);
    fs::create_directories(proc_ / "sys/kernel/random");
    WriteFile(proc_ / "sys/kernel/random/boot_id", ReadFile("/proc/sys/kernel/random/boot_id"));
    const fs::path self = std::to_string(::getpid());
    fs::create_directories(proc_ / self / "ns");
    for (const char* space : {"ns/pid", "ns/time"}) {
      const fs::path link = fs::path("/proc/self") / space;
      if (fs::is_symlink(link)) fs::create_symlink(fs::read_symlink(link), proc_ / self / space);
    }
    fs::create_symlink(self, proc_ / "self");
    if (!stat.empty()) {
      fs::create_directory(proc_ / std::to_string(identity.pid));
      WriteFile(proc_ / std::to_string(identity.pid) / "stat", stat);
    }
    return LookAtProcess(identity, proc_);
  }

  Sleeper sleeper_;
  const TemporaryDirectory folder_;
  const fs::path proc_ = folder_.path() / "proc";
};

TEST_F(LookAtUnreadableProcess, HiddenOrUnreadableProcessIsUnknown) {
  const std::string stat = ReadFile("/proc/" + std::to_string(sleeper_.identity().pid) + "/stat");
  EXPECT_EQ(LookIn(stat), Life::kThere);
  EXPECT_EQ(LookIn(""), Life::kUnknown);  // as hidepid does
  EXPECT_EQ(LookIn("nonsense"), Life::kUnknown);
  EXPECT_EQ(LookAtProcess(sleeper_.identity(), folder_.path() / "none"), Life::kUnknown);
  EXPECT_EQ(OwnIdentity(folder_.path() / "none").boot, "");
  const ProcessIdentity gone = sleeper_.identity();
  sleeper_.End();
  EXPECT_EQ(LookAtProcess(gone), Life::kGone);
}

TEST_F(LookAtUnreadableProcess, ProcessIsUnknownWithoutAFreeDescriptor) {
  const ProcessIdentity identity = sleeper_.identity();
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
    const bool unknown = LookAtProcess(identity) == Life::kUnknown;
    ::_exit(unknown && OwnIdentity().boot.empty() ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// The processes of another container, mounted where ours should be.
TEST_F(LookAtUnreadableProcess, ForeignProcSaysNothing) {
  LookIn("");
  fs::remove(proc_ / "self");
  fs::create_symlink("1", proc_ / "self");
  EXPECT_EQ(LookAtProcess(OwnIdentity(), proc_), Life::kUnknown);
}

}  // namespace
}  // namespace flare
