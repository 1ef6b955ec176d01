// A sweep uses only the data that it was planned with, and restores what can be made again.

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

  // A user's own data, with the labels of another language.
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

// What a grid would have made says nothing of data that was there already, without a manifest.
TEST_F(PlannedData, SaysOfWhichTheRecipeIsKnown) {
  ASSERT_EQ(Plan().exit_code, 0);
  const Json all = SweepJson()["data_of_recipe"];
  EXPECT_EQ(all, Json::array({"ab-star", "parity"}));
  // Data that is checked against the recipe is known, and stays so if its manifest is lost.
  fs::remove_all(folder_.path() / "out");
  ASSERT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(SweepJson()["data_of_recipe"], all);
  fs::remove(folder_.path() / "data/parity/manifest.json");
  ASSERT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(SweepJson()["data_of_recipe"], all);
  fs::remove_all(folder_.path() / "out");
  ASSERT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(SweepJson()["data_of_recipe"], Json::array({"ab-star"}));
}

// Sweeps did not always say which.
TEST_F(PlannedData, OfASweepThatDidNotSayTheRecipeIsChecked) {
  ASSERT_EQ(Plan().exit_code, 0);
  const Json sweep = SweepJson();
  Json old = sweep;
  old.erase("data_of_recipe");
  WriteFile(folder_.path() / "out/sweep.json", JsonText(old));
  EXPECT_EQ(Flare("sweep status out").exit_code, 0);
  EXPECT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(SweepJson(), sweep);
}

TEST_F(PlannedData, MayNotChange) {
  ASSERT_EQ(Plan().exit_code, 0);
  ChangeLabels();
  const ShellResult again = Plan();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.output.find("is not the data that out was planned with"), std::string::npos)
      << again.output;
  // A worker that finds different data does not train on it.
  const ShellResult work = Flare("sweep work out --only language=parity --time-limit 2");
  EXPECT_NE(work.exit_code, 0);
  EXPECT_NE(work.output.find("is not the data that the sweep was planned with"), std::string::npos)
      << work.output;
  // That is no fault of the runs', which are open when the data is back.
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["failed"], 0) << status.dump();
  EXPECT_EQ(status["left"], status["runs"].size()) << status.dump();
}

// Of a sweep of version 0.1: what its runs had, not what is there now.
TEST_F(PlannedData, OfASweepThatDidNotSayIsThatOfItsRuns) {
  ASSERT_EQ(Plan().exit_code, 0);
  ASSERT_EQ(Flare("sweep work out --only language=parity --only trial=1").exit_code, 0);
  Json old = SweepJson();
  old.erase("data_sha256");
  WriteFile(folder_.path() / "out/sweep.json", JsonText(old));
  ChangeLabels();
  const ShellResult again = Plan();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.output.find("is not the data that out was planned with"), std::string::npos)
      << again.output;
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["damaged"], 0) << status.dump();
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
