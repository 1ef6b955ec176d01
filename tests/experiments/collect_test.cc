// Records: what is collected says the same as the directories it came from.

#include "flare/experiments/collect.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/runs/sweep_file.h"
#include "support/fake_sweep.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/small_sweep.h"
#include "support/version02.h"

namespace flare {
namespace {

using ::testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

const std::string kFlare = FlareProgram();

CollectSummary Collect(const fs::path& from, const fs::path& to) {
  ProgressObserver nobody;
  return CollectRuns({from}, {}, to, nobody);
}

std::map<std::string, std::string> FilesIn(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = ReadFile(entry.path());
  }
  return files;
}

// Changes a file as its owner may: without its check, it is taken as it is.
template <class Change>
void ChangeJson(const fs::path& file, Change change) {
  Json json = Json::parse(ReadFile(file));
  json.erase(kCheckMember);
  change(json);
  WriteFile(file, JsonText(json));
}

class Collecting : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(Version02("twelve/sweep"), sweep_, fs::copy_options::recursive);
  }

  TemporaryDirectory folder_;
  fs::path sweep_ = folder_.path() / "sweep", records_ = folder_.path() / "records";
};

TEST_F(Collecting, SecondTimeChangesNothing) {
  const CollectSummary first = Collect(sweep_, records_);
  EXPECT_EQ(first.added, 12u);
  EXPECT_EQ(first.there, 12u);
  const auto files = FilesIn(records_);
  EXPECT_TRUE(files.contains("parity.jsonl"));
  const CollectSummary second = Collect(sweep_, records_);
  EXPECT_EQ(second.added, 0u);
  EXPECT_EQ(second.known, 12u);
  EXPECT_EQ(FilesIn(records_), files);
  // Records can be collected like the sweep.
  const fs::path copy = folder_.path() / "copy";
  Collect(records_, copy);
  EXPECT_EQ(FilesIn(copy), files);
}

// Where the data was is not recorded; damaged baselines are left out, and named.
TEST_F(Collecting, BaselinesNameTheirLanguageNotAPlace) {
  const fs::path baselines = sweep_ / "baselines/parity.json";
  const std::string text = R"({"dataset": "/home/me/data/parity", "language": "parity",
      "splits": {"test": {"majority": 0.5}}})";
  fs::create_directories(baselines.parent_path());
  WriteFile(baselines, text);
  Collect(sweep_, records_);
  const fs::path collected = records_ / "baselines/parity.json";
  EXPECT_THAT(ReadFile(collected), Not(HasSubstr("/home")));
  const auto read = [&] { return ReadBaselines(ReadSweep(records_), "parity"); };
  EXPECT_EQ(read().splits.at("test").majority, 0.5);
  // What is damaged there is made again from what is whole.
  const std::string whole = ReadFile(collected);
  WriteFile(collected, whole.substr(0, 40));
  Collect(sweep_, records_);
  EXPECT_EQ(ReadFile(collected), whole);
  fs::remove(collected);
  WriteFile(baselines, text.substr(0, 40));
  const CollectSummary summary = Collect(sweep_, records_);
  EXPECT_FALSE(fs::exists(collected));
  ASSERT_EQ(summary.unreadable.size(), 1u);
  EXPECT_TRUE(summary.unreadable[0].starts_with("the baselines of parity: " + baselines.string()))
      << summary.unreadable[0];
  // Of what data they are goes with them.
  Json of_data = Json::parse(text);
  const std::string sha256 = ReadSweep(sweep_).data_sha256.at("parity");
  of_data["data_sha256"] = sha256;
  WriteFile(baselines, of_data.dump());
  Collect(sweep_, records_);
  EXPECT_EQ(read().data_sha256, sha256);
}

// As a link to itself, which is not to be looked at at all.
TEST_F(Collecting, AFileThatCannotBeReadStaysWithItsRun) {
  const fs::path events = sweep_ / "runs/parity/rnn/rec/short/2000/1/events.jsonl";
  fs::remove(events);
  fs::create_symlink("events.jsonl", events);
  const CollectSummary summary = Collect(sweep_, records_);
  EXPECT_EQ(summary.added, 11u);
  ASSERT_EQ(summary.unreadable.size(), 1u);
  EXPECT_THAT(summary.unreadable[0], HasSubstr("parity/rnn/rec/short/2000/1: "));
  EXPECT_THAT(summary.unreadable[0], HasSubstr("symbolic links"));
}

TEST_F(Collecting, DraftsOfACollectionThatWasKilledAreRemoved) {
  Collect(sweep_, records_);
  const auto files = FilesIn(records_);
  for (const char* draft : {"parity.jsonl.flare.ff765a2265efb2b1.tmp",
                            "baselines/parity.json.flare.ff765a2265efb2b2.tmp",
                            "datasets/parity/manifest.json.flare.ff765a2265efb2b3.tmp"}) {
    fs::create_directories((records_ / draft).parent_path());
    WriteFile(records_ / draft, "half");
  }
  Collect(sweep_, records_);
  EXPECT_EQ(FilesIn(records_), files);
}

TEST_F(Collecting, NothingIsWrittenThroughALink) {
  Collect(sweep_, records_);
  const fs::path elsewhere = folder_.path() / "elsewhere";
  fs::create_directories(elsewhere);
  for (const char* folder : {"baselines", "datasets", "datasets/parity"}) {
    fs::remove_all(records_ / folder);
    fs::create_directories((records_ / folder).parent_path());
    fs::create_directory_symlink(elsewhere, records_ / folder);
    EXPECT_EQ(RefusalOf([&] { Collect(sweep_, records_); }),
              (records_ / folder).string() + ": is a link; remove it, or name another folder");
    fs::remove(records_ / folder);
  }
  EXPECT_TRUE(fs::is_empty(elsewhere));
  WriteFile(elsewhere / "mine", "");
  for (const char* file : {"baselines/parity.json", "parity.jsonl"}) {
    fs::create_directories((records_ / file).parent_path());
    fs::remove(records_ / file);
    fs::create_symlink(elsewhere / "mine", records_ / file);
    EXPECT_EQ(RefusalOf([&] { Collect(sweep_, records_); }),
              (records_ / file).string() + ": is a link; remove it, or name another folder");
    fs::remove(records_ / file);
  }
  EXPECT_TRUE(fs::is_empty(elsewhere / "mine"));
}

// What the data of one language was is a matter of that language, and not of its runs.
TEST_F(Collecting, OneManifestThatCannotBeReadIsNamedAndTheRestIsTaken) {
  const fs::path data = folder_.path() / "data/parity", manifest = data / "manifest.json";
  fs::create_directories(data);
  ChangeJson(sweep_ / "sweep.json", [&](Json& sweep) { sweep["data"] = data.parent_path(); });
  const auto collected = [&] {
    const CollectSummary summary = Collect(sweep_, records_);
    EXPECT_EQ(summary.there, 12u);
    fs::remove_all(records_);
    fs::remove_all(manifest);
    return summary.unreadable;
  };
  EXPECT_EQ(collected().size(), 0u);
  for (const char* damage :
       {"printf { >", "mkdir", "mkfifo", "ln -s manifest.json", "ln -s /proc/self/mem"}) {
    RunShell(fmt::format("{} {}", damage, manifest.string()));
    const auto left_out = collected();
    ASSERT_EQ(left_out.size(), 1u) << damage;
    EXPECT_TRUE(left_out[0].starts_with("what the data of parity was: " + manifest.string()))
        << left_out[0];
  }
}

// A file of records that cannot be read is that of one language.
TEST(RecordsOfALanguage, UnreadableFileAffectsOnlyItsLanguage) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 1);
  const auto run = [&](const std::string& command) {
    return RunShell(command, folder.path()).output;
  };
  run(SweepCommand("out"));
  run(kFlare +
      " sweep collect out --to records; rm records/ab-star.jsonl; mkdir records/ab-star.jsonl");
  const std::string why = "records/ab-star.jsonl: is not a regular file";
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string status = run(kFlare + " sweep status records");
  EXPECT_TRUE(has(status, "8 runs: 4 finished (0 diverged), 0 running, 0 failed, 4 damaged"))
      << status;
  EXPECT_TRUE(has(status, why)) << status;
  const std::string report = run(kFlare + " report records --to report");
  EXPECT_TRUE(has(report, "4 of 8 runs finished; 4 damaged")) << report;
  const std::string collected = run(kFlare + " sweep collect records --to copy");
  EXPECT_TRUE(has(collected, "4 runs added")) << collected;
  EXPECT_TRUE(has(collected, why)) << collected;
  const std::string known = run(SweepCommand("again", "--known records"));
  EXPECT_TRUE(has(known, "records: 4 runs known")) << known;
  EXPECT_TRUE(has(known, "none of its runs is known: " + why)) << known;
  EXPECT_EQ(RunsOf(folder.path() / "again").size(), 4u);
  // Into it, nothing is collected: it would be overwritten.
  const std::string into = run(kFlare + " sweep collect out --to records");
  EXPECT_TRUE(has(into, "flare: " + why + "\nit would be overwritten")) << into;
  EXPECT_TRUE(fs::is_directory(folder.path() / "records/ab-star.jsonl"));
  // So it is with a line of which nobody knows what it is.
  run("rmdir records/ab-star.jsonl; echo garbage > records/ab-star.jsonl");
  const std::string garbage = run(kFlare + " report records --to report");
  EXPECT_TRUE(has(garbage, "4 of 8 runs finished; 4 damaged")) << garbage;
  EXPECT_TRUE(has(garbage, "records/ab-star.jsonl:1: is not a record")) << garbage;
}

TEST_F(Collecting, ASourceThatDoesNotExistLeavesNoDirectory) {
  EXPECT_NE(RefusalOf([&] { Collect(folder_.path() / "none", records_); }), "");
  EXPECT_FALSE(fs::exists(records_));
}

// All tables, and the accuracies and losses of all figures, to what records keep of them. They keep
// accuracies by length in windows only, which a note under that table says.
TEST_F(Collecting, TablesOfRecordsAreThoseOfTheSweep) {
  Collect(sweep_, records_);
  const auto made = RunShell(
      fmt::format("{0} report sweep --to a && {0} report records --to b", kFlare), folder_.path());
  ASSERT_EQ(made.exit_code, 0) << made.output;
  std::size_t tables = 0;
  for (const auto& [name, text] : FilesIn(folder_.path() / "a/tables")) {
    if (!name.ends_with(".md") && !name.ends_with(".tex")) continue;
    const std::string ours = ReadFile(folder_.path() / "b/tables" / name);
    ++tables;
    if (name.find("by-length") == std::string::npos) {
      EXPECT_EQ(ours, text) << name;
    } else if (name.ends_with(".md")) {
      EXPECT_THAT(ours, HasSubstr("Records keep accuracies in windows"));
    }
  }
  EXPECT_GE(tables, 14u);
  const auto figures = FilesIn(folder_.path() / "b/figures");
  for (const auto& [name, text] : FilesIn(folder_.path() / "a/figures")) {
    EXPECT_TRUE(figures.contains(name)) << name;
  }
}

TEST_F(Collecting, ADifferentModelAtTheSamePlaceIsRefused) {
  Collect(sweep_, records_);
  const auto before = FilesIn(records_);
  ChangeJson(sweep_ / "runs/parity/rnn/rec/short/2000/1/result.json",
             [](Json& result) { result["model_sha256"] = std::string(64, '7'); });
  const std::string refusal = RefusalOf([&] { Collect(sweep_, records_); });
  EXPECT_THAT(refusal, HasSubstr("parity/rnn/rec/short/2000/1 differs from the run in"));
  EXPECT_THAT(refusal, HasSubstr("model_sha256"));
  EXPECT_EQ(FilesIn(records_), before);
}

TEST_F(Collecting, OneDamagedRunIsNamedAndTheRestIsTaken) {
  WriteFile(sweep_ / "runs/parity/rnn/rec/short/2000/1/result.json", "{");
  const CollectSummary summary = Collect(sweep_, records_);
  EXPECT_EQ(summary.added, 11u);
  ASSERT_EQ(summary.unreadable.size(), 1u);
  EXPECT_THAT(summary.unreadable[0], HasSubstr("parity/rnn/rec/short/2000/1"));
}

TEST_F(Collecting, NothingForeignIsWrittenInto) {
  fs::create_directory(records_);
  WriteFile(records_ / "thesis.tex", "");
  EXPECT_THAT(RefusalOf([&] { Collect(sweep_, records_); }), HasSubstr("holds something other"));
  EXPECT_EQ(FilesIn(records_).size(), 1u);
}

// What a collection that was killed in its first moments leaves is not taken for somebody else's.
TEST_F(Collecting, GridsThatDifferLeaveNoEmptyDirectory) {
  const FakeSweep one(folder_.path() / "one", {.variants = {"rnn"}, .trials = 2});
  const FakeSweep two(folder_.path() / "two", {.variants = {"lstm"}, .trials = 2});
  ProgressObserver nobody;
  EXPECT_THROW(CollectRuns({one.directory(), two.directory()}, {}, records_, nobody), InputError);
  EXPECT_FALSE(fs::exists(records_));
  // One that was there stays.
  fs::create_directory(records_);
  EXPECT_THROW(CollectRuns({one.directory(), two.directory()}, {}, records_, nobody), InputError);
  EXPECT_TRUE(fs::is_empty(records_));
}

TEST_F(Collecting, GoesOnAfterItWasKilledAtItsBeginning) {
  fs::create_directory(records_);
  WriteFile(records_ / "sweep.json.flare.0123456789abcdef.tmp", "{");
  WriteFile(records_ / "lock.flare.0123456789abcdef.tmp", "");
  EXPECT_EQ(Collect(sweep_, records_).added, 12u);
}

TEST_F(Collecting, OneDamagedEvaluationIsNamedAndTheRestIsTaken) {
  WriteFile(sweep_ / "runs/parity/rnn/rec/short/2000/1/eval/test.json", "{");
  const CollectSummary summary = Collect(sweep_, records_);
  EXPECT_EQ(summary.added, 11u);
  ASSERT_EQ(summary.unreadable.size(), 1u);
  EXPECT_THAT(summary.unreadable[0], HasSubstr("eval/test.json"));
}

TEST_F(Collecting, ADamagedRecordStaysWithItsRunAndIsMendedByCollecting) {
  Collect(sweep_, records_);
  const std::string whole = ReadFile(records_ / "parity.jsonl");
  std::string text = whole;
  text.replace(text.find("\"accuracy\":0."), 13, "\"accuracy\":1.");
  WriteFile(records_ / "parity.jsonl", text);
  const auto status = RunShell(kFlare + " sweep status records", folder_.path());
  EXPECT_THAT(status.output, HasSubstr("parity.jsonl:1: the line is not what was written"));
  const auto report = RunShell(kFlare + " report records --to report", folder_.path());
  EXPECT_THAT(report.output, HasSubstr("11 of 12 runs finished; 1 damaged"));

  // Where there is no better one, the line is not lost.
  const fs::path other = folder_.path() / "other";
  fs::copy(sweep_, other, fs::copy_options::recursive);
  fs::remove_all(other / "runs/parity");
  EXPECT_THAT(RefusalOf([&] { Collect(other, records_); }),
              HasSubstr("none of the sources has the run"));
  EXPECT_EQ(ReadFile(records_ / "parity.jsonl"), text);
  EXPECT_EQ(Collect(sweep_, records_).added, 1u);
  EXPECT_EQ(ReadFile(records_ / "parity.jsonl"), whole);
}

// Data that was made again in the meantime says nothing about these runs.
TEST(CollectedData, ManifestsAreThoseOfTheRunsData) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 1);
  const auto run = [&](const std::string& command) {
    const auto result = RunShell(command, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.output;
  };
  run(SweepCommand("out", "--only trial=1"));
  run(kFlare + " sweep collect out --to before");
  // A damaged one is made again while the data is there.
  const fs::path manifest = folder.path() / "before/datasets/parity/manifest.json";
  const std::string whole = ReadFile(manifest);
  WriteFile(manifest, whole.substr(0, 200));
  run(kFlare + " sweep collect out --to before");
  EXPECT_EQ(ReadFile(manifest), whole);
  run("rm -r data/parity && " + kFlare +
      " generate parity --out data --seed 5 --set splits.train.size=10" +
      " --set splits.test.max_length=77");
  run(kFlare + " sweep collect out --to after");
  EXPECT_TRUE(fs::exists(folder.path() / "before/datasets/parity/manifest.json"));
  EXPECT_FALSE(fs::exists(folder.path() / "after/datasets/parity/manifest.json"));
}

// What is known of how the data was made goes with the records, of every sweep that has that data.
TEST(CollectedData, FollowsTheRecipeIfASweepSaysSo) {
  const TemporaryDirectory folder;
  FakeGrid known{.trials = 1, .data_sha256 = {{"parity", FakeDataSha256("parity")}}};
  FakeGrid unknown = known;
  unknown.data_is_of_recipe = false;
  FakeSweep a(folder.path() / "a", unknown), b(folder.path() / "b", known);
  const auto recipes = [&] { return ReadSweep(folder.path() / "to").data_of_recipe; };
  Collect(a.directory(), folder.path() / "to");
  EXPECT_TRUE(recipes().empty());
  Collect(b.directory(), folder.path() / "to");
  EXPECT_TRUE(recipes().contains("parity"));
  Collect(a.directory(), folder.path() / "to");
  EXPECT_TRUE(recipes().contains("parity"));
}

// Runs that records have are left out, and only these.
TEST(KnownRuns, AreNotDoneAgain) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 2);
  const auto run = [&](const std::string& command) {
    const auto result = RunShell(command, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return result.output;
  };
  run(SweepCommand("first", "--only trial=1"));
  run(kFlare + " sweep collect first --to records");
  const std::string said = run(SweepCommand("second", "--known records"));
  EXPECT_THAT(said, HasSubstr("records: 4 runs known"));
  EXPECT_EQ(RunsOf(folder.path() / "second").size(), 4u);
  for (const auto& [path, contents] : RunsOf(folder.path() / "second")) {
    EXPECT_TRUE(path.ends_with("/2")) << path;
  }
  // Two halves, made apart, are the whole.
  run(kFlare + " sweep collect second --to records");
  run(SweepCommand("whole"));
  const std::string collected = run(kFlare + " sweep collect whole --to records");
  EXPECT_THAT(collected, HasSubstr("0 runs added, 8 known"));
}

// Another seed makes other runs: records of the same places do not count for them.
TEST(KnownRuns, RecordsOfAnotherSeedAreNotUsed) {
  const TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 1);
  RunShell(SweepCommand("first", "--only trial=1") + " && " + kFlare +
               " sweep collect first --to records && sed -i '1i seed = 7' grid.toml",
           folder.path());
  const auto said = RunShell(SweepCommand("second", "--known records"), folder.path());
  EXPECT_THAT(said.output, HasSubstr("4 records of other runs not used"));
  EXPECT_EQ(RunsOf(folder.path() / "second").size(), 8u);
}

}  // namespace
}  // namespace flare
