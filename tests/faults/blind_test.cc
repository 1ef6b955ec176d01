// Observers that cannot look at other users' processes, as on clusters and in containers: a living
// owner keeps its run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "flare/base/file.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Blindfold {
  const char* name;
  const char* script;  // runs the command that it is given
};

void PrintTo(const Blindfold& blindfold, std::ostream* out) { *out << blindfold.name; }

class Blind : public testing::TestWithParam<Blindfold> {
 protected:
  void SetUp() override {
    WriteFile(folder_.path() / "blindfold", GetParam().script);
    fs::permissions(folder_.path(), fs::perms::all);
    const ShellResult able =
        RunShell(Blindfolded(std::string("test -x ") + FlareProgram()), folder_.path());
    if (able.exit_code != 0) GTEST_SKIP() << "not allowed here: " << able.output;
    MakeSmallDataset(folder_.path(), "parity", 100);
    // Also for the user nobody.
    fs::create_directory(folder_.path() / "run");
    RunShell("chmod -R a+rwX .", folder_.path());
  }
  static std::string Blindfolded(const std::string& command) {
    return "sh blindfold sh -c '" + command + "'";
  }
  static std::string Train(const std::string& more) {
    return std::string("umask 0; exec ") + FlareProgram() +
           " train --data parity --run run --architecture rnn --loss rec --validation short "
           "--layers 1 --hidden 8 --max-epochs 100000000 --stopping-patience 100000000 " +
           more;
  }
  std::unique_ptr<TestProcess> Start(const std::string& command) const {
    return std::make_unique<TestProcess>(
        std::vector<std::string>{"/bin/bash", "-c",
                                 "cd " + folder_.path().string() + " && exec " + command},
        folder_.path() / "log");
  }
  // Until it owns the run, and is beyond its first files.
  void WaitForOwner(TestProcess& owner) const {
    while (owner.Running() && !fs::exists(folder_.path() / "run/config.json")) {
      std::this_thread::sleep_for(10ms);
    }
    ASSERT_TRUE(owner.Running()) << ReadFile(folder_.path() / "log");
  }

  const TemporaryDirectory folder_;
};

INSTANTIATE_TEST_SUITE_P(
    , Blind,
    testing::Values(
        Blindfold{"HiddenProcesses", R"sh(exec unshare --mount sh -c '
mount -t proc -o hidepid=2 proc /proc &&
exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' - "$@")sh"},
        Blindfold{"NoProc",
                  R"sh(exec unshare --mount sh -c 'umount -l /proc && exec "$@"' - "$@")sh"},
        Blindfold{"AnotherTime",
                  R"sh(exec unshare --time --boottime 100000 --fork --kill-child "$@")sh"},
        Blindfold{"AnotherHost",
                  R"sh(exec unshare --uts sh -c 'hostname other && exec "$@"' - "$@")sh"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(Blind, TheOwnerKeepsItsRun) {
  const auto owner = Start("sh -c '" + Train("") + "'");
  WaitForOwner(*owner);
  const std::string lock = ReadFile(folder_.path() / "run/lock").substr(0, 100);
  const ShellResult observer = RunShell(Blindfolded(Train("--time-limit 0.3")), folder_.path());
  EXPECT_EQ(observer.exit_code, 1) << observer.output;
  EXPECT_THAT(observer.output, HasSubstr("watching for up to 120 s"));
  EXPECT_EQ(ReadFile(folder_.path() / "run/lock").substr(0, 100), lock);
  EXPECT_TRUE(owner->Running());
}

TEST_P(Blind, ABlindOwnerKeepsItsRun) {
  const auto owner = Start(Blindfolded(Train("")));
  WaitForOwner(*owner);
  const ShellResult observer =
      RunShell("sh -c '" + Train("--time-limit 0.3") + "'", folder_.path());
  EXPECT_EQ(observer.exit_code, 1) << observer.output;
  EXPECT_TRUE(owner->Running()) << ReadFile(folder_.path() / "log");
}

}  // namespace
}  // namespace flare
