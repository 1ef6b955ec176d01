// scripts/setup on a machine where nothing is installed and apt-get does as it is told here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class Setup : public testing::Test {
 protected:
  Setup() {
    Program("dpkg-query", "exit 1");
    Program("sudo", "exec \"$@\"");
    Program("sleep", "echo sleep $* >> calls");
  }
  void Program(const std::string& name, const std::string& body) {
    const fs::path file = directory_.path() / name;
    WriteFile(file, "#!/bin/bash\n" + body + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }
  ShellResult Run() {
    return RunShell("PATH=$PWD:$PATH " + SourceDir() + "/scripts/setup", directory_.path());
  }
  // What was called, a line each, without the packages.
  std::string Calls() { return RunShell("sed 's/ g++.*//' calls", directory_.path()).output; }

  TemporaryDirectory directory_;
};

// The lock is held the first time, for `update` and for `install`.
constexpr const char* kHeldOnce =
    "echo \"$@\" >> calls\n"
    "[[ -e $2_was_held ]] && exit 0\n"
    "touch $2_was_held\n"
    "echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)' >&2\n"
    "exit 100";

TEST_F(Setup, WaitsForAnotherAptGet) {
  Program("apt-get", kHeldOnce);
  const ShellResult result = Run();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(Calls(),
            "-qq update\nsleep 5\n-qq update\n"
            "-qq install -y --no-install-recommends\nsleep 5\n"
            "-qq install -y --no-install-recommends\n");
  EXPECT_THAT(result.output, HasSubstr("setup: waiting for another apt-get"));
}

TEST_F(Setup, ReportsOtherErrorsAtOnce) {
  Program("apt-get", "echo \"$@\" >> calls; echo 'E: no space left' >&2; exit 100");
  const ShellResult result = Run();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(Calls(), "-qq update\n");
  EXPECT_THAT(result.output, HasSubstr("E: no space left"));
}

}  // namespace
}  // namespace flare
