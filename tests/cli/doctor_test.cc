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

const std::string kDoctor = FlareProgram() + " doctor";

TEST(Doctor, FindsNothingWrongHereAndLeavesNothingBehind) {
  const TemporaryDirectory folder;
  const auto page = RunShell(kDoctor + " .", folder.path());
  EXPECT_THAT(page.output, HasSubstr("links refuse a taken name"));
  EXPECT_THAT(page.output, HasSubstr("its clock"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Doctor, TellsWhatWillNotWork) {
  const TemporaryDirectory folder;
  // Even root cannot write here.
  const auto proc = RunShell(kDoctor + " /proc", folder.path());
  EXPECT_EQ(proc.exit_code, 1) << proc.output;
  EXPECT_THAT(proc.output, HasSubstr("! choose another directory"));
  WriteFile(folder.path() / "file", "");
  const auto file = RunShell(kDoctor + " file", folder.path());
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_EQ(file.output, "flare: file: is not a directory\n");
}

// A Slurm that is installed and does not answer.
TEST(Doctor, AsksSlurm) {
  const TemporaryDirectory folder;
  fs::create_directory(folder.path() / "bin");
  WriteFile(folder.path() / "bin/sinfo", "#!/bin/sh\necho no controller >&2\nexit 1\n");
  const auto page = RunShell("chmod +x bin/sinfo && PATH=$PWD/bin:$PATH " + kDoctor, folder.path());
  EXPECT_EQ(page.exit_code, 1) << page.output;
  EXPECT_THAT(page.output, HasSubstr("sinfo says: no controller"));
}

}  // namespace
}  // namespace flare
