// A sweep keeps to the data that it was planned with, and mends what can be made again.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/integrity.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class PlannedData : public testing::Test {
 protected:
  PlannedData() { WriteSmallGrid(folder_.path(), 1); }

  ShellResult Flare(const std::string& arguments) {
    return RunShell(std::string(FLARE_BINARY) + " " + arguments, folder_.path());
  }
  ShellResult Plan() { return Flare("sweep plan grid.toml --data data --out out"); }
  Json SweepJson() {
    return Json::parse(WithoutCheck(ReadFile(folder_.path() / "out/sweep.json")));
  }

  // Data of one's own, with labels that say another language.
  void ChangeLabels() {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "data/parity")) {
      if (entry.path().filename() == "manifest.json") fs::remove(entry.path());
    }
    std::string labels = ReadFile(folder_.path() / "data/parity/labels.txt");
    labels[0] = labels[0] == '0' ? '1' : '0';
    WriteFile(folder_.path() / "data/parity/labels.txt", labels);
  }

  TemporaryDirectory folder_;
};

TEST_F(PlannedData, IsPinnedInTheSweepsFile) {
  ASSERT_EQ(Plan().exit_code, 0);
  const Json sweep = SweepJson();
  EXPECT_EQ(sweep["data_sha256"].size(), 2u) << sweep.dump();
  EXPECT_EQ(Plan().exit_code, 0);  // and is the same when it is planned again
  EXPECT_EQ(SweepJson(), sweep);
}

TEST_F(PlannedData, MayNotChange) {
  ASSERT_EQ(Plan().exit_code, 0);
  ChangeLabels();
  const ShellResult again = Plan();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.output.find("is not the data that out was planned with"), std::string::npos)
      << again.output;
  // A worker that finds other data trains nothing on it.
  const ShellResult work = Flare("sweep work out --only language=parity");
  EXPECT_NE(work.exit_code, 0);
  EXPECT_NE(work.output.find("is not the data that the sweep was planned with"), std::string::npos)
      << work.output;
}

TEST_F(PlannedData, OfASweepThatDidNotSayIsWhatIsThere) {
  ASSERT_EQ(Plan().exit_code, 0);
  const Json pinned = SweepJson();
  Json old = pinned;
  old.erase("data_sha256");
  WriteFile(folder_.path() / "out/sweep.json", JsonText(old));
  EXPECT_EQ(Flare("sweep status out").exit_code, 0);
  EXPECT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(SweepJson(), pinned);
}

TEST_F(PlannedData, DamagedBaselinesAreMadeAgain) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path file = folder_.path() / "out/baselines/parity.json";
  const std::string whole = ReadFile(file);
  std::string flipped = whole;
  flipped[flipped.find("0.")] = '1';
  for (const std::string& damaged :
       {std::string("{"), whole.substr(0, whole.size() / 2), flipped}) {
    WriteFile(file, damaged);
    EXPECT_EQ(Plan().exit_code, 0);
    EXPECT_EQ(ReadFile(file), whole);
  }
}

TEST_F(PlannedData, BaselinesAreOfTheBytesThatAreRecorded) {
  ASSERT_EQ(Plan().exit_code, 0);
  const std::string right = ReadFile(folder_.path() / "out/baselines/parity.json");
  EXPECT_EQ(Json::parse(right)["data_sha256"], SweepJson()["data_sha256"]["parity"]);
  const fs::path labels = folder_.path() / "data/parity/datasets/test/labels.txt";
  const std::string whole = ReadFile(labels);
  std::string damaged = whole;
  damaged[0] = damaged[0] == '0' ? '1' : '0';
  WriteFile(labels, damaged);
  fs::remove_all(folder_.path() / "out");
  for (const std::string command :
       {"sweep plan grid.toml --data data --out out", "baselines data/parity"}) {
    const ShellResult refused = Flare(command);
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_NE(refused.output.find("parity/datasets/test/labels.txt: has changed"),
              std::string::npos)
        << refused.output;
  }
  WriteFile(labels, whole);
  ASSERT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(ReadFile(folder_.path() / "out/baselines/parity.json"), right);
}

TEST_F(PlannedData, BaselinesOfAnotherLanguageAreMadeAgain) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path ours = folder_.path() / "out/baselines/parity.json";
  const fs::path other = folder_.path() / "out/baselines/ab-star.json";
  const std::string right = ReadFile(ours);
  Json old = Json::parse(WithoutCheck(ReadFile(other)));
  old.erase("data_sha256");
  for (const std::string& copied : {ReadFile(other), JsonText(old)}) {
    WriteFile(ours, copied);
    const ShellResult report = Flare("report out --to report");
    EXPECT_NE(report.output.find("parity.json: it is of the dataset 'ab-star', not 'parity'"),
              std::string::npos)
        << report.output;
    EXPECT_EQ(Plan().exit_code, 0);
    EXPECT_EQ(ReadFile(ours), right);
  }
  // Files of older versions do not say of what bytes they are.
  old = Json::parse(WithoutCheck(right));
  old.erase("data_sha256");
  WriteFile(ours, JsonText(old));
  EXPECT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(ReadFile(ours), JsonText(old));
}

// As what is left in the directory of another sweep.
TEST_F(PlannedData, BaselinesOfOtherDataAreMadeAgain) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path ours = folder_.path() / "out/baselines/parity.json";
  const std::string left = ReadFile(ours);
  Json old = Json::parse(WithoutCheck(left));
  old.erase("data_sha256");
  const fs::path grid = folder_.path() / "grid.toml";
  WriteFile(grid, "data_seed = 9\n" + ReadFile(grid));
  ASSERT_EQ(Flare("sweep plan grid.toml --data other/data --out fresh").exit_code, 0);
  const std::string right = ReadFile(folder_.path() / "fresh/baselines/parity.json");
  ASSERT_NE(left, right);
  for (const std::string& there : {left, JsonText(old)}) {
    WriteFile(ours, there);
    fs::remove(folder_.path() / "out/sweep.json");
    ASSERT_EQ(Flare("sweep plan grid.toml --data other/data --out out").exit_code, 0);
    EXPECT_EQ(ReadFile(ours), right);
  }
}

TEST_F(PlannedData, CopiedRunsAreNotCounted) {
  ASSERT_EQ(RunShell(SweepCommand("out", "--only language=parity --only architecture=rnn"),
                     folder_.path())
                .exit_code,
            0);
  const fs::path runs = folder_.path() / "out/runs/parity/rnn/rec/short/1000";
  fs::remove_all(runs / "2");
  fs::copy(runs / "1", runs / "2", fs::copy_options::recursive);
  const Json status = Json::parse(Flare("sweep status out --json").output);
  EXPECT_EQ(status["finished"], 1);
  EXPECT_EQ(status["damaged"], 1);
  const ShellResult work = Flare("sweep work out --only language=parity --only architecture=rnn");
  EXPECT_EQ(work.exit_code, 1);
  EXPECT_NE(work.output.find("1 finished, 0 failed, 1 damaged, 0 left"), std::string::npos)
      << work.output;
}

}  // namespace
}  // namespace flare
