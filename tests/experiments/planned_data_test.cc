// A sweep uses only the data that it was planned with, and restores what can be made again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/lock_file.h"
#include "support/integrity.h"
#include "support/paths.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PlannedData : public testing::Test {
 protected:
  PlannedData() { WriteSmallGrid(folder_.path(), 1); }

  ShellResult Flare(const std::string& arguments) {
    return RunShell(FlareProgram() + " " + arguments, folder_.path());
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
TEST_F(PlannedData, SweepListsLanguagesWhoseRecipeIsKnown) {
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

// Sweeps did not always say what their data was, nor of which the recipe is known.
TEST_F(PlannedData, SweepWithoutHashesPinsItAsFound) {
  ASSERT_EQ(Plan().exit_code, 0);
  const Json sweep = SweepJson();
  for (const char* member : {"data_of_recipe", "data_sha256"}) {
    Json old = sweep;
    old.erase(member);
    WriteFile(folder_.path() / "out/sweep.json", JsonText(old));
    EXPECT_EQ(Flare("sweep status out").exit_code, 0) << member;
    EXPECT_EQ(Plan().exit_code, 0) << member;
    EXPECT_EQ(SweepJson(), sweep) << member;
  }
}

TEST_F(PlannedData, RefusedRecipeLeavesNoEmptyDirectory) {
  ASSERT_EQ(Plan().exit_code, 0);
  WriteFile(folder_.path() / "other.toml",
            "data_seed = 9\n" + ReadFile(folder_.path() / "grid.toml"));
  EXPECT_EQ(Flare("sweep plan other.toml --data data --out new").exit_code, 2);
  EXPECT_FALSE(fs::exists(folder_.path() / "new"));
  // One that was there stays.
  fs::create_directory(folder_.path() / "mine");
  EXPECT_EQ(Flare("sweep plan other.toml --data data --out mine").exit_code, 2);
  EXPECT_TRUE(fs::exists(folder_.path() / "mine"));
}

TEST_F(PlannedData, MayNotChange) {
  ASSERT_EQ(Plan().exit_code, 0);
  ChangeLabels();
  const ShellResult again = Plan();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.output, HasSubstr("is not the data that out was planned with"));
  // A worker that finds different data does not train on it.
  const ShellResult work = Flare("sweep work out --only language=parity --time-limit 2");
  EXPECT_NE(work.exit_code, 0);
  EXPECT_THAT(work.output, HasSubstr("is not the data that the sweep was planned with"));
  // That is no fault of the runs', which are open when the data is back.
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["failed"], 0) << status.dump();
  EXPECT_EQ(status["left"], status["runs"]) << status.dump();
}

TEST_F(PlannedData, RepairRestoresIt) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path labels = folder_.path() / "data/parity/labels.txt";
  const std::string whole = ReadFile(labels);
  std::string changed = whole;
  changed[0] = changed[0] == '0' ? '1' : '0';
  WriteFile(labels, changed);
  fs::remove(folder_.path() / "data/ab-star/main.tok");
  EXPECT_EQ(Plan().exit_code, 2);
  const ShellResult repaired = Flare("sweep plan grid.toml --data data --out out --repair");
  EXPECT_EQ(repaired.exit_code, 0) << repaired.output;
  EXPECT_THAT(repaired.output, HasSubstr("parity: labels.txt restored"));
  EXPECT_EQ(ReadFile(labels), whole);
  EXPECT_EQ(Plan().exit_code, 0);
}

// No fault of the runs', which are open until it is made again.
TEST_F(PlannedData, WithADamagedManifestIsWaitedFor) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path manifest = folder_.path() / "data/parity/manifest.json";
  const std::string whole = ReadFile(manifest);
  WriteFile(manifest, whole.substr(0, whole.size() / 2));
  EXPECT_EQ(Plan().exit_code, 2);
  const ShellResult work = Flare("sweep work out --only language=parity --time-limit 2");
  EXPECT_THAT(work.output, HasSubstr("manifest.json"));
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["left"], status["runs"]) << status.dump();
  EXPECT_EQ(Flare("sweep plan grid.toml --data data --out out --repair").exit_code, 0);
  EXPECT_EQ(ReadFile(manifest), whole);
}

// Whoever runs a sweep again goes on with the languages whose data is as it was.
TEST_F(PlannedData, DamagedLanguageStopsNoOther) {
  const std::string run = "sweep run grid.toml --data data --out out --jobs 2 --time-limit 60";
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path manifest = folder_.path() / "data/parity/manifest.json";
  const std::string whole = ReadFile(manifest);
  WriteFile(manifest, whole + "x");
  const ShellResult others = Flare(run + " --only language=ab-star");
  EXPECT_EQ(others.exit_code, 0) << others.output;
  EXPECT_THAT(others.output, HasSubstr("manifest.json"));
  EXPECT_THAT(others.output, HasSubstr("its runs wait for it"));
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["finished"], 4) << status.dump();
  EXPECT_EQ(status["left"], 4) << status.dump();
  // Nor does what cannot be looked at, or its baselines, which cannot be measured then.
  fs::rename(folder_.path() / "data/parity", folder_.path() / "data/away");
  fs::remove(folder_.path() / "out/baselines/parity.json");
  for (const char* link : {"parity", "nowhere"}) {
    fs::create_symlink(link, folder_.path() / "data/parity");
    const ShellResult again = Flare(run + " --only language=ab-star");
    EXPECT_EQ(again.exit_code, 0) << again.output;
    EXPECT_THAT(again.output, HasSubstr("its runs wait for it"));
    fs::remove(folder_.path() / "data/parity");
  }
  fs::rename(folder_.path() / "data/away", folder_.path() / "data/parity");
  WriteFile(manifest, whole);
  const fs::path labels = folder_.path() / "data/parity/datasets/test/labels.txt";
  const std::string right = ReadFile(labels);
  WriteFile(labels, (right[0] == '0' ? "1" : "0") + right.substr(1));
  const ShellResult unmeasured = Flare(run + " --only language=ab-star");
  EXPECT_EQ(unmeasured.exit_code, 0) << unmeasured.output;
  EXPECT_THAT(unmeasured.output, HasSubstr("parity: its baselines are left out"));
  WriteFile(labels, right);
  EXPECT_EQ(Flare(run).exit_code, 0);
  // If no language is left, there is nothing to wait for.
  ChangeLabels();
  WriteFile(folder_.path() / "data/ab-star/manifest.json", "x");
  EXPECT_EQ(Flare(run).exit_code, 2);
}

// A language that is defined anew is no data that is away: its runs would be on the old data.
TEST_F(PlannedData, RedefinedLanguageIsRefusedAmongOthers) {
  const fs::path grid = folder_.path() / "grid.toml", file = folder_.path() / "out/sweep.json";
  const std::string one = "regex:(ab)*", other = "regex:(ba)*", old = ReadFile(grid);
  ASSERT_EQ(Plan().exit_code, 0);
  const std::string planned = ReadFile(file);
  std::string anew = old;
  anew.replace(anew.find(one), one.size(), other);
  WriteFile(grid, anew);
  const std::string how = " grid.toml --data data --out out --extend";
  for (const std::string command : {"sweep plan", "sweep run --time-limit 60"}) {
    const ShellResult refused = Flare(command + how);
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("data/ab-star: exists with a different recipe"));
    EXPECT_THAT(refused.output,
                HasSubstr("define the language as it was when the sweep was planned, or plan a "
                          "sweep for the new definition with another --out and another --data"));
    EXPECT_EQ(ReadFile(file), planned);
  }
  // Without the dataset that says so, too, and with one that cannot be read.
  const fs::path dataset = folder_.path() / "data/ab-star";
  const std::string manifest = ReadFile(dataset / "manifest.json");
  WriteFile(dataset / "manifest.json", "x");
  EXPECT_EQ(Flare("sweep run --time-limit 60" + how).exit_code, 2);
  WriteFile(dataset / "manifest.json", manifest);
  fs::rename(dataset, folder_.path() / "away");
  const ShellResult made = Flare("sweep run --time-limit 60" + how);
  EXPECT_EQ(made.exit_code, 2) << made.output;
  EXPECT_THAT(made.output, HasSubstr("and remove this dataset, which was made just now"));
  EXPECT_EQ(ReadFile(file), planned);
  EXPECT_FALSE(fs::exists(folder_.path() / "out/runs"));
  // What it says helps, one way or the other.
  EXPECT_EQ(Flare("sweep run grid.toml --data new/data --out new/out").exit_code, 0);
  fs::remove_all(dataset);
  WriteFile(grid, old);
  EXPECT_EQ(Flare("sweep run" + how).exit_code, 0);
  EXPECT_EQ(ReadFile(file), planned);
}

TEST_F(PlannedData, EditedGrammarIsRefusedAmongOtherLanguages) {
  const fs::path grid = folder_.path() / "grid.toml", grammar = folder_.path() / "mine.cfg";
  std::string text = ReadFile(grid);
  const std::string regex = "regex:(ab)*";
  text.replace(text.find(regex), regex.size(), "cfg:mine.cfg");
  WriteFile(grid, text);
  WriteFile(grammar, "S -> 'a' S 'b' | 'a' 'b'\n");
  ASSERT_EQ(Plan().exit_code, 0) << Plan().output;
  const std::string planned = ReadFile(folder_.path() / "out/sweep.json");
  WriteFile(grammar, "S -> 'b' S 'a' | 'b' 'a'\n");
  const ShellResult refused = Flare("sweep run grid.toml --data data --out out --time-limit 60");
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("define the language as it was"));
  EXPECT_EQ(ReadFile(folder_.path() / "out/sweep.json"), planned);
  EXPECT_FALSE(fs::exists(folder_.path() / "out/runs"));
  EXPECT_EQ(Flare("sweep run grid.toml --data new/data --out new/out").exit_code, 0);
}

// Nor are labels that changed under a manifest that did not.
TEST_F(PlannedData, WithChangedLabelsIsWaitedFor) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path labels = folder_.path() / "data/parity/labels.txt";
  const std::string whole = ReadFile(labels);
  WriteFile(labels, (whole[0] == '0' ? "1" : "0") + whole.substr(1));
  const ShellResult work = Flare("sweep work out --only language=parity --time-limit 2");
  EXPECT_THAT(work.output, HasSubstr("labels.txt: has changed"));
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["left"], status["runs"]) << status.dump();
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

// No run needs them.
TEST_F(PlannedData, BaselinesThatCannotBeWrittenStopNothing) {
  ASSERT_EQ(Plan().exit_code, 0);
  const std::string whole = ReadFile(folder_.path() / "out/baselines/ab-star.json");
  WriteFile(folder_.path() / "mine", "mine");
  for (const char* change :
       {"rm out/baselines/parity.json; mkdir out/baselines/parity.json",
        "rmdir out/baselines/parity.json; mkfifo out/baselines/parity.json",
        "rm out/baselines/parity.json; ln -s ../../mine out/baselines/parity.json",
        "rm -r out/baselines; ln -s .. out/baselines",
        "rm out/baselines; echo mine > out/baselines"}) {
    ASSERT_EQ(RunShell(change, folder_.path()).exit_code, 0) << change;
    const ShellResult plan = Plan();
    EXPECT_EQ(plan.exit_code, 0) << plan.output;
    EXPECT_THAT(plan.output, HasSubstr("parity: its baselines are left out: out/baselines"));
  }
  EXPECT_EQ(ReadFile(folder_.path() / "mine"), "mine");
  EXPECT_FALSE(fs::exists(folder_.path() / "parity.json"));
  fs::remove(folder_.path() / "out/baselines");
  EXPECT_EQ(Plan().exit_code, 0);
  EXPECT_EQ(ReadFile(folder_.path() / "out/baselines/ab-star.json"), whole);
}

TEST_F(PlannedData, BaselinesOfOthersAreNotASweeps) {
  fs::create_directories(folder_.path() / "out/baselines");
  WriteFile(folder_.path() / "out/baselines/parity.json", "{\"mine\": 1}");
  const ShellResult plan = Plan();
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_THAT(plan.output, HasSubstr("out: holds something other than a sweep: 'baselines'"));
  EXPECT_EQ(ReadFile(folder_.path() / "out/baselines/parity.json"), "{\"mine\": 1}");
}

// What its refusal says brings it back.
TEST_F(PlannedData, LostSweepFileCanBePlannedAgain) {
  ASSERT_EQ(RunShell(SweepCommand("out"), folder_.path()).exit_code, 0);
  const std::string file = ReadFile(folder_.path() / "out/sweep.json");
  fs::remove(folder_.path() / "out/sweep.json");
  const ShellResult lost = RunShell(SweepCommand("out"), folder_.path());
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_THAT(lost.output, HasSubstr("plan the same grid and data elsewhere, and copy that one"));
  Flare("sweep plan grid.toml --data data --out elsewhere");
  fs::copy(folder_.path() / "elsewhere/sweep.json", folder_.path() / "out/sweep.json");
  EXPECT_EQ(ReadFile(folder_.path() / "out/sweep.json"), file);
}

TEST_F(PlannedData, TwoConcurrentPlannersMakeItOnce) {
  const std::string flare = FlareProgram();
  for (int round = 0; round < 3; ++round) {
    const ShellResult both = RunShell(
        "rm -rf data a b; " + flare + " sweep plan grid.toml --data data --out a & " + flare +
            " sweep plan grid.toml --data data --out b; second=$?; wait $! && exit $second",
        folder_.path());
    EXPECT_EQ(both.exit_code, 0) << both.output;
    EXPECT_EQ(ReadFile(folder_.path() / "a/sweep.json"), ReadFile(folder_.path() / "b/sweep.json"));
  }
}

// A time limit ends that wait too.
TEST_F(PlannedData, WaitForAnotherProcessEndsAtTheTimeLimit) {
  fs::create_directories(folder_.path() / "data");
  LockObserver observer;
  const auto lock = LockFile::TryAcquire(folder_.path() / "data/.parity.lock", observer);
  const ShellResult run = RunShell(SweepCommand("out", "--time-limit 0.3"), folder_.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("out: stopped (time limit) while waiting"));
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
    EXPECT_THAT(refused.output, HasSubstr("parity/datasets/test/labels.txt: has changed"));
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
    EXPECT_THAT(report.output,
                HasSubstr("parity.json: it is of the dataset 'ab-star', not 'parity'"));
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

// As links to themselves, which nobody can look through: the file and the reason are named, and
// runs of other languages go on.
TEST_F(PlannedData, UnreadableDataIsTheMachinesFault) {
  ASSERT_EQ(Plan().exit_code, 0);
  const fs::path parity = folder_.path() / "data/parity", file = parity / "main.tok";
  fs::remove(file);
  fs::create_symlink("main.tok", file);
  const ShellResult some =
      Flare("sweep work out --only trial=1 --only architecture=rnn --time-limit 6");
  EXPECT_NE(some.exit_code, 0) << some.output;
  EXPECT_THAT(some.output,
              HasSubstr(file.string() + ": Too many levels of symbolic links; waiting for it\n"));
  const Json status = Json::parse(Flare("sweep status --json out").output);
  EXPECT_EQ(status["finished"], 1) << status.dump();
  EXPECT_EQ(status["failed"], 0) << status.dump();
  fs::remove_all(parity);
  fs::create_symlink("parity", parity);
  const ShellResult none = Flare("sweep work out --only language=parity");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_EQ(none.output,
            "flare: " + parity.string() + ": cannot look at: Too many levels of symbolic links\n");
}

// Status believes result.json; whoever uses a number checks what run it is of.
TEST_F(PlannedData, CopiedRunsAreNotCountedByWorkersAndReports) {
  ASSERT_EQ(RunShell(SweepCommand("out", "--only language=parity --only architecture=rnn"),
                     folder_.path())
                .exit_code,
            0);
  const fs::path runs = folder_.path() / "out/runs/parity/rnn/rec/short/1000";
  fs::remove_all(runs / "2");
  fs::copy(runs / "1", runs / "2", fs::copy_options::recursive);
  EXPECT_EQ(Json::parse(Flare("sweep status out --json").output)["finished"], 2);
  const ShellResult report = Flare("report out --to report");
  EXPECT_THAT(report.output, HasSubstr("1 damaged"));
  const ShellResult work = Flare("sweep work out --only language=parity --only architecture=rnn");
  EXPECT_EQ(work.exit_code, 1);
  EXPECT_THAT(work.output, HasSubstr("1 finished, 0 failed, 1 damaged, 0 left"));
}

}  // namespace
}  // namespace flare
