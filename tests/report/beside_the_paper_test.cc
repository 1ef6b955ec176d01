// The paper's values are shown next to ours only where ours are of its languages, splits, settings
// and budget; and what captions say about the data is true.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/data/generate.h"
#include "flare/languages/catalog.h"
#include "flare/languages/resolve.h"
#include "flare/report/captions.h"
#include "flare/report/comparable.h"
#include "flare/report/report.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

// What the report of a finished run of the LSTM shows next to it, and why it does not.
struct Beside {
  explicit Beside(FakeGrid grid, const fs::path& dataset = {}, const Names& names = TestNames()) {
    grid.variants = {"lstm"};
    grid.trials = 1;
    FakeSweep fake(directory.path() / "out", grid, names);
    if (!dataset.empty()) {
      fs::create_directories(fake.directory() / "data");
      fs::rename(dataset, fake.directory() / "data/parity");
    }
    const Study study = ReadStudy({fake.directory()}, fake.names());
    value = ComparableInductiveBias(study, "parity", "lstm").has_value();
    for (const std::string& note : NotesOnThePaper(study)) notes += note;
    damage = study.damaged_manifests;
    caption = MainCaption(study);
    seen = SeenLengths(study, "parity");
  }

  bool Says(const std::string& text) const { return notes.find(text) != std::string::npos; }

  TemporaryDirectory directory;
  bool value = false;
  std::string notes, caption;
  std::vector<std::string> damage;
  std::vector<std::size_t> seen;
};

DatasetConfig Tiny() {
  DatasetConfig config = MakePreset("flare");
  for (SplitConfig& split : config.splits) {
    split.size = 20;
    split.lengths.max /= 5;
  }
  return config;
}

// A dataset of the language, put where that of parity is looked for.
fs::path Dataset(const TemporaryDirectory& directory, const std::string& language,
                 const DatasetConfig& config) {
  GenerateDataset({"set", ResolveLanguage(language)}, {directory.path(), 0, config});
  return directory.path() / "set";
}

TEST(BesideThePaper, StandsWhatWasPlannedAsThePapers) {
  const Beside beside(FakeGrid{});
  EXPECT_TRUE(beside.value);
  EXPECT_EQ(beside.notes, "");
  EXPECT_EQ(beside.caption.find("Accuracy on strings of lengths up to 500. Inductive bias: "
                                "validation on lengths up to 40, "),
            0u);
  EXPECT_EQ(beside.seen, (std::vector<std::size_t>{40, 80}));
}

TEST(BesideThePaper, StandsNothingOfOtherSplits) {
  const Beside beside({.data = {{"splits.test.max_length", "60"}}});
  EXPECT_FALSE(beside.value);
  EXPECT_TRUE(beside.Says("Parity: splits.test.max_length is 60, not 500")) << beside.notes;
  EXPECT_EQ(beside.caption.find("Accuracy on strings of lengths up to 60."), 0u);
}

TEST(BesideThePaper, StandsNothingOfAnotherBudgetOrOtherSettings) {
  const Beside small({.budgets = {2'000}});
  EXPECT_FALSE(small.value);
  EXPECT_TRUE(small.Says("the budget is 2000, not 64000")) << small.notes;
  const Beside brief({.settings = {{"max_epochs", "1"}}});
  EXPECT_FALSE(brief.value);
  EXPECT_TRUE(brief.Says("max_epochs is 1, not 1000")) << brief.notes;
  for (const char* rate : {"0.001", "0.0"}) {
    const Beside given({.settings = {{"learning_rate", rate}}});
    EXPECT_FALSE(given.value) << rate;
    EXPECT_TRUE(given.Says(fmt::format("learning_rate is {}, not drawn for each run", rate)))
        << given.notes;
  }
  EXPECT_TRUE(Beside({.settings = {{"max_epochs", "1000"}, {"target", "portable"}}}).value);
}

// A coefficient of 0 is one that was given, as good as any.
TEST(BesideThePaper, StandsNothingOfCoefficientsThatWereGiven) {
  for (const char* key : {"lm_coefficient", "ns_coefficient"}) {
    for (const char* value : {"0.0", "0.5"}) {
      const Beside given({.settings = {{key, value}}});
      EXPECT_FALSE(given.value) << key << " " << value;
      EXPECT_TRUE(given.Says(fmt::format("{} is {}, not drawn for each run", key, value)))
          << given.notes;
    }
  }
}

TEST(BesideThePaper, StandsNothingOfLossesThatThePaperDoesNotHave) {
  Names names = TestNames();
  names.loss_terms.push_back({"st", "state", "states", {}, false});
  const Beside other({.losses = {"rec", "rec+st"}}, {}, names);
  EXPECT_FALSE(other.value);
  EXPECT_TRUE(other.Says("Parity: the grid has the loss rec+st.")) << other.notes;
  EXPECT_TRUE(Beside({.losses = {"rec", "rec+ns"}}).value);
}

TEST(BesideThePaper, TheDatasDefinitionDecides) {
  const TemporaryDirectory directory;
  const Beside same(FakeGrid{}, Dataset(directory, "parity", MakePreset("flare")));
  EXPECT_TRUE(same.value) << same.notes;
  const Beside other(FakeGrid{}, Dataset(directory, "regex:0*(10*10*)*", MakePreset("flare")));
  EXPECT_FALSE(other.value);
  EXPECT_TRUE(other.Says("is the name of a language of the paper")) << other.notes;
  const Beside tiny(FakeGrid{}, Dataset(directory, "parity", Tiny()));
  EXPECT_FALSE(tiny.value);
  EXPECT_EQ(tiny.caption.find("Accuracy on strings of lengths up to 100."), 0u) << tiny.caption;
  EXPECT_EQ(tiny.seen, (std::vector<std::size_t>{8, 16}));
}

TEST(BesideThePaper, WithoutAManifestStringsAndLabelsDecide) {
  const TemporaryDirectory directory;
  const auto unnamed = [&](const std::string& language, const DatasetConfig& config) {
    const fs::path dataset = Dataset(directory, language, config);
    fs::remove(dataset / "manifest.json");
    return dataset;
  };
  EXPECT_TRUE(Beside(FakeGrid{}, unnamed("parity", MakePreset("flare"))).value);
  const Beside other(FakeGrid{}, unnamed("first", MakePreset("flare")));
  EXPECT_TRUE(other.Says(" labels ")) << other.notes;
  const Beside tiny(FakeGrid{}, unnamed("parity", Tiny()));
  EXPECT_TRUE(tiny.Says("has 20 examples, not")) << tiny.notes;
}

TEST(BesideThePaper, WithoutAManifestAnyLabelsDecide) {
  const TemporaryDirectory directory;
  const auto without = [&](const std::string& language, const std::vector<std::string>& lacking) {
    const fs::path dataset = Dataset(directory, language, MakePreset("flare"));
    fs::remove(dataset / "manifest.json");
    for (const std::string& file : lacking) fs::remove_all(dataset / file);
    return dataset;
  };
  const std::vector<std::string> lacking = {"datasets/validation-short",
                                            "datasets/validation-long/labels.txt"};
  EXPECT_TRUE(Beside(FakeGrid{}, without("parity", lacking)).value);
  const Beside other(FakeGrid{}, without("first", lacking));
  EXPECT_FALSE(other.value);
  EXPECT_TRUE(other.Says(" labels ")) << other.notes;
  // One split that is right does not speak for the others.
  const fs::path dataset = without("parity", {});
  std::string labels = ReadFile(dataset / "datasets/test/labels.txt");
  labels[0] = labels[0] == '0' ? '1' : '0';
  WriteFile(dataset / "datasets/test/labels.txt", labels);
  EXPECT_TRUE(Beside(FakeGrid{}, dataset).Says("test labels "));
  const Beside silent(
      FakeGrid{},
      without("parity", {"datasets/validation-short", "datasets/validation-long/labels.txt",
                         "datasets/test/labels.txt", "datasets/test-short-held-out",
                         "datasets/test-edit-distance", "labels.txt"}));
  EXPECT_FALSE(silent.value);
  EXPECT_TRUE(silent.Says("it has no labels")) << silent.notes;
}

// A dataset that was taken as it was need not be what the grid would have made.
TEST(BesideThePaper, StandsNothingOfDataOfWhichNothingIsKnown) {
  const Beside beside({.data_is_of_recipe = false});
  EXPECT_FALSE(beside.value);
  EXPECT_TRUE(beside.Says("its data is not there, and nothing says how it was made"))
      << beside.notes;
  EXPECT_EQ(beside.caption.find("Accuracy on the split test. "), 0u) << beside.caption;
  EXPECT_TRUE(beside.seen.empty());
}

// One is planned and not begun, its data made anew since; the other has the runs.
TEST(BesideThePaper, TheDataOfTheRunsDecides) {
  const TemporaryDirectory directory;
  FakeGrid grid{.variants = {"lstm"}, .losses = {"rec"}, .trials = 1};
  for (const bool says : {false, true}) {
    const fs::path here = directory.path() / (says ? "says" : "silent");
    if (says) grid.data_sha256["parity"] = FakeDataSha256("parity");
    FakeSweep planned(here / "a", grid), begun(here / "b", grid);
    FakeRun run;
    run.variant = "lstm";
    begun.Add(run);
    fs::create_directories(planned.directory() / "data");
    fs::rename(Dataset(directory, "parity", Tiny()), planned.directory() / "data/parity");
    for (const auto& order : {std::vector{planned.directory(), begun.directory()},
                              std::vector{begun.directory(), planned.directory()}}) {
      const std::string caption = MainCaption(ReadStudy(order, TestNames()));
      EXPECT_EQ(caption.find("Accuracy on strings of lengths up to 500."), 0u) << caption;
    }
    const std::string alone = MainCaption(ReadStudy({planned.directory()}, TestNames()));
    EXPECT_EQ(alone.find(says ? "Accuracy on strings of lengths up to 500."
                              : "Accuracy on strings of lengths up to 100."),
              0u)
        << alone;
  }
}

// It is like one that is not there, and said to be damaged.
TEST(BesideThePaper, ADamagedManifestChangesNothing) {
  const TemporaryDirectory directory;
  const fs::path dataset = directory.path() / "set";
  fs::create_directory(dataset);
  WriteFile(dataset / "manifest.json", "{\"\xff\": 1}");
  const Beside beside(FakeGrid{}, dataset);
  const Beside planned(FakeGrid{});
  EXPECT_EQ(beside.notes, planned.notes);
  EXPECT_EQ(beside.caption, planned.caption);
  EXPECT_TRUE(beside.value);
  ASSERT_EQ(beside.damage.size(), 1u);
  EXPECT_EQ(beside.damage[0].find('\xff'), std::string::npos) << beside.damage[0];
}

TEST(BesideThePaper, NothingStandsIfItIsNotWanted) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {});
  for (const char* variant : {"rnn", "transformer"}) {
    FakeRun run;
    run.variant = variant;
    fake.Add(run);
  }
  for (const bool paper : {true, false}) {
    const fs::path to = directory.path() / (paper ? "with" : "without");
    WriteReport({fake.directory()}, fake.names(), to, {.paper = paper});
    for (const char* table : {"main", "main-long", "comparison", "best-loss", "model-sizes"}) {
      const std::string text = ReadFile(to / "tables" / (std::string(table) + ".md"));
      EXPECT_EQ(text.find("paper") != std::string::npos, paper) << text;
    }
  }
}

TEST(Figures, HaveLinesAtTheLengthsThatWereSeen) {
  const TemporaryDirectory directory;
  WritePlausibleSweep(
      directory.path() / "out",
      {.languages = {"parity"},
       .losses = {"rec"},
       .trials = 1,
       .data = {{"splits.train.max_length", "30"}, {"splits.validation-long.max_length", "65"}}},
      false);
  WriteReport({directory.path() / "out"}, TestNames(), directory.path() / "report");
  const std::string figure =
      ReadFile(directory.path() / "report/figures/accuracy-vs-length/parity.tex");
  EXPECT_NE(figure.find("(axis cs:30,"), std::string::npos) << figure;
  EXPECT_NE(figure.find("(axis cs:65,"), std::string::npos) << figure;
  EXPECT_EQ(figure.find("(axis cs:80,"), std::string::npos) << figure;
}

}  // namespace
}  // namespace flare::report
