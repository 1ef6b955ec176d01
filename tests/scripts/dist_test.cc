// What `make dist` made, on a machine with nothing else: in an empty root directory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "support/paths.h"
#include "support/same_run.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// The hash of every file of a directory, by its path there.
std::map<std::string, std::string> FilesOf(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), directory)] = Sha256(ReadFile(entry.path()));
  }
  return files;
}

class Dist : public testing::Test {
 protected:
  Dist() {
    const fs::path dist = SourceDir() + "/dist";
    if (!fs::exists(dist)) return;
    for (const auto& entry : fs::directory_iterator(dist)) {
      if (entry.path().extension() == ".xz") archives_.push_back(entry.path());
    }
    if (archives_.size() != 1) return;
    Must("tar --extract --strip-components=1 --file=" + ShellQuoted(archives_[0].string()));
    fs::create_directories(root_ / "bin");
    fs::create_directories(root_ / "here");
    fs::copy(folder_.path() / "bin/flare", root_ / "bin/flare");
  }

  void SetUp() override {
    if (archives_.empty()) GTEST_SKIP() << "there is no dist/: `make dist` makes it";
    ASSERT_EQ(archives_.size(), 1u);
    if (Alone("--version").exit_code != 0) GTEST_SKIP() << "neither chroot nor unshare is allowed";
  }

  std::string Must(const std::string& command) {
    const ShellResult result = RunShell(command, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.output;
    return result.output;
  }
  // Of flare in its empty root, where /here is root_/here.
  ShellResult Alone(const std::string& arguments) {
    const std::string in =
        geteuid() == 0 ? "chroot root" : "unshare --map-root-user --root=root --wd=/";
    return RunShell("env -i \"$(command -v " + in.substr(0, in.find(' ')) + ")\"" +
                        in.substr(in.find(' ')) + " /bin/flare " + arguments,
                    folder_.path());
  }
  std::string MustAlone(const std::string& arguments) {
    const ShellResult result = Alone(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.output;
    return result.output;
  }

  TemporaryDirectory folder_;
  fs::path root_ = folder_.path() / "root";
  std::vector<fs::path> archives_;
};

TEST_F(Dist, HoldsWhatItSays) {
  EXPECT_EQ(archives_[0].filename().string().find(std::string("flare-") + Version() + "-linux-"),
            0u);
  Must("sha256sum --check --quiet SHA256SUMS");
  Must(
      "test $(wc -l < SHA256SUMS) = $(find . -path ./root -prune -o -type f -print | "
      "grep -vc '/SHA256SUMS$')");
  for (const char* file :
       {"share/man/man1/flare.1", "share/bash-completion/completions/flare",
        "share/zsh/site-functions/_flare", "share/fish/vendor_completions.d/flare.fish",
        "share/doc/flare-languages/licences/libgmp-dev", "share/doc/flare-languages/SOURCES",
        "share/doc/flare-languages/common-licenses/LGPL-3", "relink/flare.o", "relink/relink"}) {
    EXPECT_TRUE(fs::is_regular_file(folder_.path() / file)) << file;
  }
}

TEST_F(Dist, HasTheModuleForThisPython) {
  const std::string python = "/usr/bin/python3";
  if (!fs::exists(python) || RunShell(python + " -c 'import numpy'").exit_code != 0) {
    GTEST_SKIP() << "python3-numpy is missing";
  }
  const std::string sample = "sample dyck-2-3 -n 20 --max-length 30";
  EXPECT_EQ(Must("cd / && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" +
                 (folder_.path() / "python").string() + " " + python +
                 " -c 'import flarelang as fl\n"
                 "for s in fl.Language(\"dyck-2-3\").sample(20, max_length=30, seed=0): "
                 "print(*s)'"),
            Must("bin/flare " + sample));
}

TEST_F(Dist, CanBeLinkedWithAnotherGmp) {
  Must("relink/relink relinked");
  EXPECT_EQ(Must("./relinked sample binary-multiplication -n 20"),
            Must("bin/flare sample binary-multiplication -n 20"));
}

TEST_F(Dist, NeedsNothingBeside) {
  const std::string sample = "sample dyck-2-3 -n 50 --log-probability";
  EXPECT_EQ(MustAlone(sample), Must(FlareProgram() + " " + sample));
  MustAlone("doctor /here");
}

// Datasets, models, predictions and reports are those of the program that was built for this
// machine, at the same place, as files name places.
TEST_F(Dist, ComputesTheSame) {
  const fs::path here = folder_.path() / "here", there = root_ / here.relative_path();
  const std::string place = here.string() + "/";
  for (const fs::path& folder : {here, there}) {
    fs::create_directories(folder);
    WriteSmallGrid(folder, 20);
    WriteFile(folder / "strings", "1 0 1\n0 0 1 1\n\n");
  }
  const auto both = [&](const std::string& arguments) {
    const std::string alone = MustAlone(arguments), ours = Must(FlareProgram() + " " + arguments);
    return std::pair(alone, ours);
  };
  both("sweep run " + place + "grid.toml --data " + place + "data --out " + place + "out");
  EXPECT_EQ(FilesOf(there / "data"), FilesOf(here / "data"));
  EXPECT_EQ(FilesOf(there / "out/baselines"), FilesOf(here / "out/baselines"));
  EXPECT_EQ(RunsOf(here / "out").size(), 8u);
  EXPECT_TRUE(RunsOf(there / "out") == RunsOf(here / "out"));

  both("train --data " + place + "data/parity --run " + place +
       "run --architecture lstm --loss rec+lm+ns --validation short --budget 2000 --max-epochs 3");
  EXPECT_TRUE(TimelessContents(there / "run") == TimelessContents(here / "run"));
  const auto [theirs, ours] = both("predict " + place + "run " + place + "strings");
  EXPECT_EQ(theirs, ours);

  // Of one sweep: reports say how long runs took.
  fs::remove_all(there / "out");
  fs::copy(here / "out", there / "out", fs::copy_options::recursive);
  both("report " + place + "out --to " + place + "report");
  auto report = FilesOf(here / "report"), report_there = FilesOf(there / "report");
  report.erase("data/stamp.js");  // the time
  report_there.erase("data/stamp.js");
  EXPECT_EQ(report_there, report);
  EXPECT_GT(report.size(), 20u);
}

// All datasets and the plan of the paper's grid, and of its runs one of the shortest (half a
// minute). Collecting refuses a run that is not to the bit what results/paper has of it.
TEST_F(Dist, RunsThePapersGrid) {
  fs::copy(SourceDir() + "/results/paper/records", root_ / "here/records",
           fs::copy_options::recursive);
  const std::string grid = "--preset paper --data /here/data --out /here/paper";
  MustAlone("sweep plan " + grid);
  MustAlone("sweep run " + grid +
            " --only language=odds-first --only architecture=transformer --only loss=rec"
            " --only validation=long --only trial=1");
  EXPECT_THAT(MustAlone("sweep status /here/paper"), HasSubstr("4320 runs: 1 finished"));
  EXPECT_THAT(MustAlone("sweep collect /here/paper /here/records --to /here/merged"),
              HasSubstr(" 1 known"));
  MustAlone("report /here/paper --to /here/report");
  EXPECT_TRUE(fs::exists(root_ / "here/report/index.html"));
}

}  // namespace
}  // namespace flare
