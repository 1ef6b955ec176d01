// Published values are shown next to ours only where ours are of the same languages, splits,
// settings and budget; and what captions say about the data is true.

#include "flare/report/published.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/data/generate.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "flare/report/report.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/titles.h"
#include "flare/runs/grid.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

// What the report of a finished run of the LSTM shows next to it, and why it does not.
struct Beside {
  explicit Beside(FakeGrid grid, const fs::path& dataset = {}) {
    grid.variants = {"lstm"};
    grid.trials = 1;
    FakeSweep fake(directory.path() / "out", grid);
    if (!dataset.empty()) {
      fs::create_directories(fake.directory() / "data");
      fs::rename(dataset, fake.directory() / "data/parity");
    }
    const Study study = ReadStudy({fake.directory()});
    const ReportColumn& column = study.columns[0];
    value = study.FindPublished(column.name, "parity", "lstm", column.budget) != nullptr;
    const Table main = MainTable(Selection(study));
    for (const std::string& note : main.notes) {
      if (note.starts_with("Published values (paper) are not shown")) notes += note;
    }
    damage = study.damaged_manifests;
    caption = main.caption;
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

TEST(ComparisonWithThePaper, IncludesWhatWasPlannedAsThePapers) {
  const Beside beside(FakeGrid{});
  EXPECT_TRUE(beside.value);
  EXPECT_EQ(beside.notes, "");
  EXPECT_EQ(beside.caption.find("Accuracy on strings of lengths up to 500. Inductive bias: "
                                "validation on lengths up to 40, "),
            0u);
  EXPECT_EQ(beside.seen, (std::vector<std::size_t>{40, 80}));
}

TEST(ComparisonWithThePaper, ExcludesOtherSplits) {
  const Beside beside({.data = {{"splits.test.max_length", "60"}}});
  EXPECT_FALSE(beside.value);
  EXPECT_TRUE(beside.Says("Parity: splits.test.max_length is 60, not 500")) << beside.notes;
  EXPECT_EQ(beside.caption.find("Accuracy on strings of lengths up to 60."), 0u);
}

TEST(ComparisonWithThePaper, ExcludesOtherBudgetsAndSettings) {
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
TEST(ComparisonWithThePaper, ExcludesGivenCoefficients) {
  for (const char* key : {"lm_coefficient", "ns_coefficient"}) {
    for (const char* value : {"0.0", "0.5"}) {
      const Beside given({.settings = {{key, value}}});
      EXPECT_FALSE(given.value) << key << " " << value;
      EXPECT_TRUE(given.Says(fmt::format("{} is {}, not drawn for each run", key, value)))
          << given.notes;
    }
  }
}

TEST(ComparisonWithThePaper, ExcludesLossesThatThePaperLacks) {
  const Beside other({.losses = {"rec", "rec+st"}});
  EXPECT_FALSE(other.value);
  EXPECT_TRUE(other.Says("Parity: the grid has the loss rec+st.")) << other.notes;
  EXPECT_TRUE(Beside({.losses = {"rec", "rec+ns"}}).value);
}

TEST(ComparisonWithThePaper, TheDatasDefinitionDecides) {
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

TEST(ComparisonWithThePaper, StringsAndLabelsDecideIfThereIsNoManifest) {
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

TEST(ComparisonWithThePaper, LabelsDecideIfThereIsNoManifest) {
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
TEST(ComparisonWithThePaper, ExcludesDataOfUnknownOrigin) {
  const Beside beside({.data_is_of_recipe = false});
  EXPECT_FALSE(beside.value);
  EXPECT_TRUE(beside.Says("its data is not there, and nothing says how it was made"))
      << beside.notes;
  EXPECT_EQ(beside.caption.find("Accuracy on the split test. "), 0u) << beside.caption;
  EXPECT_TRUE(beside.seen.empty());
}

// One is planned and not begun, its data made anew since; the other has the runs.
TEST(ComparisonWithThePaper, TheDataOfTheRunsDecides) {
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
      const Study study = ReadStudy(order);
      const std::string caption = MainTable(Selection(study)).caption;
      EXPECT_EQ(caption.find("Accuracy on strings of lengths up to 500."), 0u) << caption;
    }
    const Study only = ReadStudy({planned.directory()});
    const std::string alone = MainTable(Selection(only)).caption;
    EXPECT_EQ(alone.find(says ? "Accuracy on strings of lengths up to 500."
                              : "Accuracy on strings of lengths up to 100."),
              0u)
        << alone;
  }
}

// It is like one that is not there, and said to be damaged.
TEST(ComparisonWithThePaper, ADamagedManifestChangesNothing) {
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
  EXPECT_THAT(beside.damage[0], Not(HasSubstr("\xff")));
}

TEST(ComparisonWithThePaper, CanBeTurnedOff) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {});
  for (const char* variant : {"rnn", "transformer"}) {
    FakeRun run;
    run.variant = variant;
    fake.Add(run);
  }
  for (const bool paper : {true, false}) {
    const fs::path to = directory.path() / (paper ? "with" : "without");
    WriteReport({fake.directory()}, to, {.published = paper});
    for (const char* table : {"main", "main-long", "best-loss"}) {
      const std::string text = ReadFile(to / "tables" / (std::string(table) + ".md"));
      EXPECT_EQ(text.find("paper") != std::string::npos, paper) << text;
    }
    // Without them, and without baselines, there is nothing to compare with.
    EXPECT_EQ(fs::exists(to / "tables/comparison.md"), paper);
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
  WriteReport({directory.path() / "out"}, directory.path() / "report");
  const std::string figure =
      ReadFile(directory.path() / "report/figures/accuracy-vs-length/parity.tex");
  EXPECT_THAT(figure, HasSubstr("(axis cs:30,"));
  EXPECT_THAT(figure, HasSubstr("(axis cs:65,"));
  EXPECT_THAT(figure, Not(HasSubstr("(axis cs:80,")));
}

std::string PaperFile() { return "built-in:papers/butoi-2025/published.json"; }

TEST(Published, HasTheValuesOfTheTables) {
  const auto paper = Published::Read(PaperFile());
  const auto value = [&](const char* metric, const char* language, const char* variant,
                         std::size_t budget = 64'000) -> std::optional<double> {
    const PublishedValue* found = paper->Find(metric, language, variant, budget);
    return found == nullptr ? std::nullopt : std::optional(found->value);
  };
  EXPECT_EQ(paper->label(), "paper");
  EXPECT_EQ(value("inductive_bias", "parity", "lstm"), 0.90);
  EXPECT_EQ(paper->Find("inductive_bias", "parity", "lstm", 64'000)->spread, 0.20);
  EXPECT_EQ(paper->Find("inductive_bias", "parity", "lstm", 64'000)->runs, 10u);
  EXPECT_EQ(paper->Find("inductive_bias", "even-pairs", "rnn", 64'000)->loss, "rec+lm+ns");
  EXPECT_EQ(value("expressivity", "bucket-sort", "rnn"), 0.96);
  EXPECT_EQ(paper->Find("expressivity", "bucket-sort", "rnn", 64'000)->runs, 40u);
  EXPECT_EQ(value("max", "bucket-sort", "lstm", 128'000), 0.93);
  EXPECT_EQ(value("max", "first", "lstm", 128'000), std::nullopt);
  EXPECT_EQ(value("perfect", "majority", "transformer"), 0);  // 1.00 only after rounding
  EXPECT_EQ(value("perfect", "majority", "lstm"), 1);
  EXPECT_EQ(value("perfect", "majority", "gru"), std::nullopt);
  EXPECT_EQ(value("expressivity", "regex:a*", "rnn"), std::nullopt);
  EXPECT_EQ(paper->Budgets("max", "parity", "rnn"),
            (std::set<std::size_t>{32'000, 64'000, 128'000}));
}

// 2·s·√(1/n + 1/N) is two standard errors.
TEST(Published, HowNearAMeanIsDependsOnTheNumberOfRuns) {
  const PublishedValue ten{.value = 0.90, .spread = 0.1, .runs = 10};
  EXPECT_NEAR(StandardErrors(0.80, 1, ten), -1 / std::sqrt(1.1), 1e-12);
  EXPECT_NEAR(StandardErrors(0.80, 10, ten), -1 / std::sqrt(0.2), 1e-12);
  // Values are rounded to two decimals, so that a smaller deviation says nothing.
  const PublishedValue sure{.value = 1, .spread = 0, .runs = 1};
  EXPECT_NEAR(StandardErrors(0.98, 1, sure), -2 / std::sqrt(2), 1e-12);
}

std::string FaultOf(const std::string& json) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "published.json";
  WriteFile(file, json);
  return RefusalOf([&] { Published::Read(file.string()); });
}

TEST(Published, RefusesWhatItCannotRead) {
  const auto with_value = [](const std::string& value) {
    return R"({"comparable": {}, "values": [)" + value + "]}";
  };
  const std::string whole =
      R"({"language": "parity", "variant": "lstm", "metric": "max", "settings": {"budget": 64000}, )"
      R"("value": 0.5, "runs": 10, "source": "Table 1"})";
  EXPECT_EQ(FaultOf(with_value(whole)), "");
  EXPECT_THAT(FaultOf("[1]"), testing::HasSubstr("published.json"));
  EXPECT_THAT(FaultOf(with_value(whole + "," + whole)),
              testing::HasSubstr("two values are max of lstm on parity with 64000 parameters"));
  for (const char* field :
       {"language", "variant", "metric", "settings", "value", "runs", "source"}) {
    std::string without = whole;
    without.replace(without.find("\"" + std::string(field) + "\""), 2 + std::strlen(field),
                    "\"other\"");
    EXPECT_THAT(FaultOf(with_value(without)), testing::HasSubstr(field)) << without;
  }
  std::string none = whole;
  none.replace(none.find("10"), 2, "0");
  EXPECT_THAT(FaultOf(with_value(none)), testing::HasSubstr("not a number of some runs"));
  EXPECT_THAT(RefusalOf([] { Published::Read("/none/published.json"); }),
              testing::HasSubstr("the published values of the grid are not there"));
}

// Another paper's values, of another metric, beside a grid of one's own.
TEST(Published, AnyGridMayNameItsOwn) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "published.json";
  WriteFile(file,
            R"({"label": "Smith 2020", "comparable": {"settings": {"max_epochs": 7}}, "values": [)"
            R"({"language": "parity", "variant": "lstm", "metric": "generalization", )"
            R"("settings": {"validation": "mine", "budget": 9000}, )"
            R"("value": 0.75, "spread": 0.1, "runs": 4, "source": "Table 1"}]})");
  FakeSweep fake(directory.path() / "out",
                 {.variants = {"lstm"},
                  .losses = {"rec"},
                  .validations = {"mine"},
                  .budgets = {9'000},
                  .trials = 2,
                  .settings = {{"max_epochs", "7"}},
                  .report = {.published = file.string(),
                             .columns = {{.name = "generalization",
                                          .title = "Generalization",
                                          .validation = "mine",
                                          .value = ReportColumn::Value::kMean,
                                          .budget = 9'000}}}});
  for (const std::size_t trial : {1, 2}) {
    fake.Add({.variant = "lstm",
              .validation = "mine",
              .budget = 9'000,
              .trial = trial,
              .test = trial == 1 ? 0.5 : 0.75});
  }
  const Study study = ReadStudy({fake.directory()});
  const Selection selection(study);
  const std::string main = FormatMarkdown(WithNoteOf(study, MainTable(selection)));
  EXPECT_THAT(main, testing::HasSubstr("| Language | Generalization: LSTM |"));
  EXPECT_THAT(main, testing::HasSubstr("0.62 ± 0.12 (n = 2) · Smith 2020 0.75 ± 0.10 −0.12"));
  const Table comparison = ComparisonTable(selection);
  // −0.125 is within 2 · 0.1 · √(1/2 + 1/4) = 0.173.
  EXPECT_THAT(comparison.notes[0], testing::HasSubstr("of 1 scores 1 agree"));
}

// A grid that says nothing about its report has a block for each validation set that it has.
TEST(MainTable, FollowsAGridWithoutAReportSection) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.variants = {"lstm", "rnn"},
                                            .losses = {"rec"},
                                            .validations = {"mine"},
                                            .trials = 1,
                                            .report = {}});
  fake.Add({.variant = "lstm", .validation = "mine", .test = 0.75});
  const Study study = ReadStudy({fake.directory()});
  const Table main = MainTable(Selection(study));
  std::vector<std::string> groups;
  for (const Column& column : main.columns) groups.push_back(column.group);
  EXPECT_EQ(groups, (std::vector<std::string>{"", "Validation mine", "Validation mine"}));
  EXPECT_THAT(main.caption, Not(HasSubstr("Expressivity")));
  EXPECT_THAT(FormatMarkdown(main), Not(HasSubstr("paper")));
}

Grid GridWith(const std::string& report) {
  return ParseGrid(
      "languages = [\"parity\"]\narchitectures = [\"rnn\"]\nlosses = [\"rec\"]\n"
      "validations = [\"short\"]\nbudgets = [9]\n" +
          report,
      "dir/grid.toml");
}

TEST(ReportSpec, IsReadFromTheGridAndKeptWithTheSweep) {
  const Grid grid = GridWith(
      "[report]\npublished = \"../published.json\"\n[[report.columns]]\nname = \"best\"\n"
      "title = \"Best\"\nvalidation = \"short\"\nvalue = \"max\"\nbudget = 9\n"
      "[[report.columns]]\nname = \"usual\"\ntitle = \"Usual\"\nvalidation = \"short\"\n");
  JsonReader reader;
  const std::string text = JsonText(GridToJson(grid));
  for (const Grid& one : {grid, GridFromJson(reader.Parse(text, "sweep.json"))}) {
    EXPECT_EQ(one.report.published, "published.json");  // relative to the grid's file
    ASSERT_EQ(one.report.columns.size(), 2u);
    EXPECT_EQ(one.report.columns[0].name, "best");
    EXPECT_EQ(one.report.columns[0].value, ReportColumn::Value::kMax);
    EXPECT_EQ(one.report.columns[0].budget, 9u);
    EXPECT_EQ(one.report.columns[1].title, "Usual");
    EXPECT_EQ(one.report.columns[1].value, ReportColumn::Value::kMean);
    EXPECT_EQ(one.report.columns[1].budget, 0u);
  }
  // Nothing is written about grids that say nothing.
  EXPECT_FALSE(GridToJson(GridWith("")).contains("report"));
}

TEST(ReportSpec, RefusesWhatItDoesNotKnow) {
  const std::string column = "[[report.columns]]\ntitle = \"T\"\nvalidation = \"short\"\n";
  for (const auto& [report, fault] : std::vector<std::pair<std::string, std::string>>{
           {"[report]\npublish = \"x\"\n", "unknown key 'publish'; did you mean published?"},
           {"report = 3\n", "[report] must be a table"},
           {"[report]\ncolumns = [1]\n", "report.columns: expected tables"},
           {column, "the name ''"},
           {column + "name = \"A\"\n", "the name 'A'"},
           {column + "name = \"a\"\nvalue = \"median\"\n",
            "the value 'median'; expected mean or max"},
           {column + "name = \"a\"\n" + column + "name = \"a\"\n", "two are called a"},
           {"[[report.columns]]\nname = \"a\"\n", "a needs a title and a validation"}}) {
    EXPECT_THAT(RefusalOf([&, &report = report] { GridWith(report); }), testing::HasSubstr(fault));
  }
}

TEST(Presets, AreFoundByTheNamesOfTheirGrids) {
  const std::vector<std::string> names = PresetNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) {
    const auto grid = FindPreset(name);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->name, name);
    EXPECT_FALSE(grid->shows.empty()) << name << " has no [about] shows, which flare papers prints";
  }
  EXPECT_FALSE(FindPreset("none"));
  for (const char* name : {"demo", "model-size", "paper", "paper-mini"}) {
    const auto grid = FindPreset(name);
    ASSERT_TRUE(grid) << name;
    EXPECT_EQ(grid->report.published, "built-in:papers/butoi-2025/published.json");
    EXPECT_EQ(Published::Read(grid->report.published)->label(), "paper");
  }
}

// Version 0.2 did not keep what a grid says about its report.
TEST(Presets, SayHowSweepsOfTheirNameAreReported) {
  for (const char* name : {"paper", "mine"}) {
    const TemporaryDirectory directory;
    FakeSweep fake(directory.path() / "out", {.name = name, .report = {}});
    const Study study = ReadStudy({fake.directory()});
    EXPECT_EQ(study.columns[0].title,
              std::string(name) == "paper" ? "Inductive Bias" : "Validation short");
    EXPECT_EQ(study.published != nullptr, std::string(name) == "paper");
  }
}

}  // namespace
}  // namespace flare::report
