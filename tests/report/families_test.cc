// What tables make of settings that a grid varies, and of the metric that it asks for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/report/by_length.h"
#include "flare/report/findings.h"
#include "flare/report/plot.h"
#include "flare/report/plots.h"
#include "flare/report/report.h"
#include "flare/report/run_files.h"
#include "flare/report/score_maps.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/report/tables.h"
#include "flare/runs/events.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ReportSpec TunedBy(const std::vector<std::string>& settings) {
  ReportSpec spec;
  spec.tuned = settings;
  return spec;
}

struct Sweep {
  explicit Sweep(const FakeGrid& grid) : fake(directory.path() / "out", grid) {}
  Study Read(const std::string& metric = "") const { return ReadStudy({fake.directory()}, metric); }
  // Its test accuracy and validation cross-entropy.
  void Add(const std::string& variant, std::size_t trial, double test, double validation) {
    FakeRun run{.variant = variant, .trial = trial};
    run.test = test;
    run.validation_cross_entropy = validation;
    fake.Add(run);
  }

  TemporaryDirectory directory;
  FakeSweep fake;
};

std::vector<std::string> KeysOf(const Table& table) {
  std::vector<std::string> keys;
  for (const Column& column : table.columns) keys.push_back(column.key);
  return keys;
}

std::vector<std::string> GroupsOf(const Table& table) {
  std::vector<std::string> groups;
  for (const Column& column : table.columns) groups.push_back(column.group);
  return groups;
}

const Cell& CellAt(const Table& table, std::size_t row, std::string_view key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return table.rows.at(row).cells[i];
  }
  throw std::out_of_range(std::string(key));
}

FakeGrid OneLoss(const std::vector<std::string>& variants, const ReportSpec& report = {}) {
  return {.variants = variants,
          .losses = {"rec"},
          .validations = {"short"},
          .trials = 2,
          .report = report};
}

// Validation chooses 0.3, although the test likes 0.2 better.
TEST(Tuned, ShowsTheTestScoreOfWhatValidationChooses) {
  Sweep sweep(OneLoss({"rnn,dropout=0.2", "rnn,dropout=0.3", "lstm"}, TunedBy({"dropout"})));
  sweep.Add("rnn,dropout=0.2", 1, 0.9, 0.5);
  sweep.Add("rnn,dropout=0.2", 2, 0.8, 0.5);
  sweep.Add("rnn,dropout=0.3", 1, 0.7, 0.25);
  sweep.Add("rnn,dropout=0.3", 2, 0.6, 0.5);
  const Study study = sweep.Read();
  EXPECT_THAT(study.Variants(), ElementsAre("rnn,dropout=*", "lstm"));
  const Selection selection(study);
  const Table table = MainTable(selection);
  EXPECT_THAT(KeysOf(table), ElementsAre("language", "short_rnn,dropout=*", "short_lstm"));
  const Cell& cell = CellAt(table, 0, "short_rnn,dropout=*");
  EXPECT_NEAR(cell.value, 0.65, 1e-12);
  EXPECT_EQ(cell.tried, 2u);
  EXPECT_EQ(cell.chosen, "dropout=0.3");
  EXPECT_TRUE(cell.coverage->IsComplete());
  EXPECT_EQ(table.columns[1].title, "RNN");
  // All values are in a table of their own, the chosen one bold.
  const Table all = SettingsTable(selection);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_NEAR(CellAt(all, 0, "score").value, 0.85, 1e-12);
  EXPECT_FALSE(CellAt(all, 0, "score").bold);
  EXPECT_TRUE(CellAt(all, 1, "score").bold);
}

// With the runs of the other setting, another might be chosen.
TEST(Tuned, SaysThatOtherSettingsLackRuns) {
  Sweep sweep(OneLoss({"rnn,dropout=0.2", "rnn,dropout=0.3"}, TunedBy({"dropout"})));
  sweep.Add("rnn,dropout=0.2", 1, 0.9, 0.5);
  sweep.Add("rnn,dropout=0.2", 2, 0.8, 0.5);
  const Study study = sweep.Read();
  const Table table = MainTable(Selection(study));
  const Cell& cell = CellAt(table, 0, "short_rnn,dropout=*");
  EXPECT_FALSE(cell.coverage->IsComplete());
  EXPECT_EQ(cell.tried, 1u);
}

// A setting of which a run has diverged before its first checkpoint is not chosen for the rest.
TEST(Tuned, DoesNotChooseWhatDiverges) {
  Sweep sweep(OneLoss({"rnn,dropout=0.2", "rnn,dropout=0.3"}, TunedBy({"dropout"})));
  sweep.Add("rnn,dropout=0.2", 1, 0.9, 0.1);
  FakeRun lost{.variant = "rnn,dropout=0.2", .trial = 2, .diverged = true, .has_metrics = false};
  sweep.fake.Add(lost);
  sweep.Add("rnn,dropout=0.3", 1, 0.7, 0.5);
  sweep.Add("rnn,dropout=0.3", 2, 0.7, 0.5);
  const Study study = sweep.Read();
  EXPECT_EQ(CellAt(MainTable(Selection(study)), 0, "short_rnn,dropout=*").chosen, "dropout=0.3");
}

TEST(Axes, MakeBlocksAndNoArchitectures) {
  Sweep sweep(OneLoss({"lstm,layers=1", "lstm,layers=2", "rnn,layers=1", "rnn,layers=2"}));
  sweep.Add("lstm,layers=2", 1, 0.75, 0.5);
  const Study study = sweep.Read();
  EXPECT_THAT(study.Variants(), ElementsAre("rnn,layers=*", "lstm,layers=*"));
  const Table table = MainTable(Selection(study));
  EXPECT_THAT(KeysOf(table), ElementsAre("language", "short_rnn,layers=1", "short_lstm,layers=1",
                                         "short_rnn,layers=2", "short_lstm,layers=2"));
  EXPECT_EQ(table.columns[1].group, "Validation short · layers = 1");
  EXPECT_EQ(table.columns[4].group, "Validation short · layers = 2");
  EXPECT_EQ(table.columns[4].title, "LSTM");
  EXPECT_EQ(table.columns[4].family, "lstm,layers=*");
  EXPECT_EQ(CellAt(table, 0, "short_lstm,layers=2").value, 0.75);
}

TEST(Axes, ManyValuesAreOneColumn) {
  std::vector<std::string> variants;
  for (int layers = 11; layers <= 17; ++layers) {
    variants.push_back("lstm,layers=" + std::to_string(layers));
  }
  Sweep sweep(OneLoss(variants));
  const Study study = sweep.Read();
  EXPECT_THAT(KeysOf(MainTable(Selection(study))), ElementsAre("language", "short_lstm,layers=*"));
}

// A name that the user gives a variant makes it one of its own.
TEST(Axes, LeaveNamedVariantsAlone) {
  FakeGrid grid = OneLoss({"lstm,layers=1", "lstm,layers=2"});
  grid.labels = {{"lstm,layers=2", "Deep"}};
  const Sweep sweep(grid);
  EXPECT_THAT(sweep.Read().Variants(), ElementsAre("lstm,layers=1", "lstm,layers=2"));
}

TEST(Axes, SayWhichLeastValueReachesTheBound) {
  Sweep sweep(OneLoss({"lstm,layers=1", "lstm,layers=2", "lstm,layers=3"}));
  const double scores[] = {0.5, 0.9, 0.95};
  for (std::size_t layers = 1; layers <= 3; ++layers) {
    sweep.Add("lstm,layers=" + std::to_string(layers), 1, scores[layers - 1], 0.5);
  }
  const Study study = sweep.Read();
  const Table table = LeastTable(Selection(study));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(CellAt(table, 0, "least").text, "2");  // 0.9 is enough
  EXPECT_EQ(CellAt(table, 0, "reaching").value, 2);
  EXPECT_EQ(CellAt(table, 0, "values").value, 3);
}

TEST(ScoreMaps, AreOverTwoSettings) {
  Sweep sweep(OneLoss({"lstm,dropout=0.2,layers=1", "lstm,dropout=0.2,layers=2",
                       "lstm,dropout=0.3,layers=1", "lstm,dropout=0.3,layers=2"}));
  sweep.Add("lstm,dropout=0.2,layers=2", 1, 0.75, 0.5);
  sweep.Add("lstm,dropout=0.2,layers=2", 2, 0.25, 0.5);
  const Study study = sweep.Read();
  RunFiles files;
  const std::vector<ScoreMap> maps = ScoreMapsOf(Selection(study), files);
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].kind, "dropout-by-layers");
  EXPECT_THAT(maps[0].y, ElementsAre("0.2", "0.3"));
  EXPECT_THAT(maps[0].x, ElementsAre("1", "2"));
  EXPECT_EQ(maps[0].values[0][1], 0.5);
  EXPECT_EQ(maps[0].values[1][1], std::nullopt);
  EXPECT_EQ(maps[0].title, "Parity, LSTM (n = 2)");
  // Drawn once, for both forms; halfway to the best there is nothing but white for an accuracy.
  const Canvas canvas = DrawHeatMap(maps[0]);
  for (const std::string& form : {canvas.Svg(), canvas.Tikz()}) {
    EXPECT_THAT(form, AllOf(HasSubstr("Parity, LSTM (n = 2)"), HasSubstr("0.50"),
                            HasSubstr("dropout"), HasSubstr("layers")));
  }
  EXPECT_EQ(ShadeOf(maps[0].scale.At(0.5)), "#ffffff");
  EXPECT_EQ(ShadeOf(maps[0].scale.At(1)), "#8fbfe8");
  const std::vector<Table> tables = ScoreMapTables(Selection(study), files);
  EXPECT_THAT(tables.at(0).figures, ElementsAre(maps[0].place));
}

TEST(Scale, RunsFromTheWorstToTheBestOfItsMetric) {
  const auto ends = [](const char* name, const std::vector<double>& values) {
    const Scale scale = ScaleOf(MetricNamed(name, ""), values);
    return std::pair(scale.worst, scale.best);
  };
  EXPECT_EQ(ends("accuracy", {0.75}), std::pair(0.5, 1.0));
  EXPECT_EQ(ends("state_accuracy_positions", {0.75}), std::pair(0.0, 1.0));
  EXPECT_EQ(ends("recognition_cross_entropy", {0.75, 0.25}), std::pair(0.75, 0.0));
  EXPECT_EQ(ends("longest_perfect_length", {-1, 40}), std::pair(-1.0, 40.0));
  EXPECT_EQ(ends("longest_perfect_length", {0, 0}), std::pair(0.0, 1.0));
  EXPECT_DOUBLE_EQ(Scale(0.75, 0).At(0.25), 2.0 / 3);
}

// A variant has its colour everywhere; its curves differ by lines and marks.
TEST(Axes, ArePlottedInTheColoursOfVariants) {
  Sweep sweep(OneLoss({"lstm,dropout=0.2,layers=1", "lstm,dropout=0.2,layers=2",
                       "lstm,dropout=0.3,layers=1", "lstm,dropout=0.3,layers=2", "rnn"}));
  for (const char* variant : {"lstm,dropout=0.2,layers=1", "lstm,dropout=0.2,layers=2",
                              "lstm,dropout=0.3,layers=1", "lstm,dropout=0.3,layers=2", "rnn"}) {
    sweep.Add(variant, 1, 0.75, 0.5);
  }
  const Study study = sweep.Read();
  const auto looks = LooksOf(study.Variants());
  const Plot plot = AxisPlot(Selection(study), NumericAxesOf(study).at(1), "parity");
  ASSERT_EQ(plot.series.size(), 2u);
  for (const Series& series : plot.series) {
    EXPECT_EQ(series.look.color, looks.at("lstm,dropout=*,layers=*").color);
  }
  EXPECT_NE(plot.series[0].look.dash, plot.series[1].look.dash);
  EXPECT_NE(plot.series[0].look.mark, plot.series[1].look.mark);
}

TEST(Plot, IsDrawnWithLetters) {
  const Plot plot{.title = "Parity",
                  .x_title = "length",
                  .series = {{"rising", LookAt(0), {{0, 0, 0, 0}, {4, 1, 1, 1}}},
                             {"level", LookAt(1), {{0, 1, 1, 1}, {4, 1, 1, 1}}}},
                  .vertical_lines = {2},
                  .most_y = 1};
  // The columns are those of the axis and 16 of the curves, the least that it is drawn with.
  EXPECT_EQ(FormatText(plot, 24, 3),
            "Parity\n"
            "     1 ┤■■■■■■■■■■■■●●■■\n"
            "   0.5 ┤    ●●●●●●●●\n"
            "     0 ┤●●●●    ┊\n"
            "        0    length    4\n"
            "        ● rising\n"
            "        ■ level\n");
}

TEST(RunsByHand, AreGroupedByTheirSettings) {
  Sweep sweep({.variants = {"lstm,layers=1", "lstm,layers=2", "rnn"},
               .losses = {"rec"},
               .validations = {"short"},
               .trials = 3,
               .report = {}});
  std::vector<std::filesystem::path> runs;
  const auto add = [&](const std::string& variant, std::size_t trial, double test) {
    sweep.Add(variant, trial, test, 0.5);
    const auto from = sweep.fake.RunPath({.variant = variant, .trial = trial});
    runs.push_back(sweep.directory.path() / ("run-" + std::to_string(runs.size())));
    std::filesystem::copy(from, runs.back(), std::filesystem::copy_options::recursive);
  };
  add("lstm,layers=1", 1, 0.5);
  add("lstm,layers=1", 3, 0.75);
  add("lstm,layers=2", 1, 1);
  add("rnn", 2, 0.25);
  add("rnn", 2, 0.25);  // a copy
  const Study study = ReadStudy(runs);
  EXPECT_EQ(study.runs.size(), 4u);
  EXPECT_EQ(study.axes.trials, 2u);
  EXPECT_EQ(study.runs[1].at.Path(), "parity/lstm,layers=1/rec/short/64000/2");
  EXPECT_EQ(study.runs[1].path, runs[1]);
  EXPECT_EQ(study.origin,
            "These are 5 runs that no sweep made, grouped by their settings; they differ in "
            "architecture, layers and seed.");
  const Selection selection(study);
  EXPECT_EQ(selection.Find("parity", "lstm,layers=1", "rec", "short", 64'000)->Scores().size(), 2u);
  EXPECT_THAT(FindingsOf(selection).missing, testing::Contains(study.origin));
  // Beside their own sweep they are other runs, since nobody knows that they are its.
  EXPECT_EQ(ReadStudy({sweep.fake.directory(), runs[0]}).runs.size(), 10u);
  EXPECT_THAT(RefusalOf([&] { ReadStudy({sweep.directory.path()}); }), HasSubstr("is not a sweep"));
}

// The runs of a sweep are called 1 and 2, all of them.
TEST(RunsByHand, AreNamedFromWhereTheirPathsPart) {
  Sweep sweep(OneLoss({"rnn", "lstm"}));
  std::vector<std::filesystem::path> paths;
  for (const char* variant : {"rnn", "lstm"}) {
    const FakeRun run{.variant = variant};
    sweep.fake.Add(run);
    EventLog log(sweep.fake.RunPath(run) / "events.jsonl");
    log.Append(StartEvent{.parameters = 1, .all_parameters = 1, .examples = 1});
    log.Append(CheckpointEvent{.epoch = 1, .is_best = true, .cross_entropy = 0.5});
    paths.push_back(sweep.fake.RunPath(run) / "");
  }
  const Study study = ReadStudy(paths);
  RunFiles files;
  const Plots plots = PlotsOfRuns(study, files);
  std::vector<std::string> titles;
  for (const Series& one : plots.at("training-curves").series) titles.push_back(one.title);
  EXPECT_THAT(titles,
              ElementsAre("rnn/rec/short/64000/1 (Simple RNN)", "lstm/rec/short/64000/1 (LSTM)"));
}

// The same language with other data is another one.
TEST(RunsByHand, RunsOfOtherDataAreNotAveraged) {
  Sweep sweep({.variants = {"rnn"}, .losses = {"rec"}, .validations = {"short"}, .report = {}});
  std::vector<std::filesystem::path> runs;
  for (const char* data : {"one", "another"}) {
    FakeRun run{.trial = runs.size() + 1, .data = data};
    sweep.fake.Add(run);
    runs.push_back(sweep.directory.path() / data);
    std::filesystem::copy(sweep.fake.RunPath(run), runs.back(),
                          std::filesystem::copy_options::recursive);
  }
  EXPECT_THAT(ReadStudy(runs).axes.languages, ElementsAre("parity", "parity (2)"));
}

TEST(ScoreMaps, AreOverASettingAndTheLanguagesOfASeries) {
  FakeGrid grid = OneLoss({"lstm,layers=1", "lstm,layers=2"});
  grid.languages = {"dyck-1-2", "dyck-1-3", "parity"};
  Sweep sweep(grid);
  FakeRun run{.language = "dyck-1-3", .variant = "lstm,layers=2"};
  run.test = 0.75;
  sweep.fake.Add(run);
  const Study study = sweep.Read();
  RunFiles files;
  const std::vector<ScoreMap> maps = ScoreMapsOf(Selection(study), files);
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].language, "dyck-1-…");
  EXPECT_THAT(maps[0].x, ElementsAre("2", "3"));
  EXPECT_EQ(maps[0].values[1][1], 0.75);
}

TEST(Metric, IsWhatTheGridAsksFor) {
  ReportSpec spec;
  spec.metric = "recognition_cross_entropy";
  Sweep sweep(OneLoss({"rnn", "lstm"}, spec));
  for (const std::size_t trial : {1u, 2u}) {
    sweep.Add("rnn", trial, 0.75, 0.5);    // a cross-entropy of 0.5
    sweep.Add("lstm", trial, 0.875, 0.5);  // 0.25
  }
  const Study study = sweep.Read();
  const Table table = MainTable(Selection(study));
  EXPECT_EQ(CellAt(table, 0, "short_rnn").value, 0.5);
  // Lower is better.
  EXPECT_FALSE(CellAt(table, 0, "short_rnn").bold);
  EXPECT_TRUE(CellAt(table, 0, "short_lstm").bold);
  EXPECT_THAT(table.caption, HasSubstr("lower is better"));
  // One given by hand counts instead.
  EXPECT_EQ(CellAt(MainTable(Selection(sweep.Read("accuracy"))), 0, "short_rnn").value, 0.75);
}

TEST(Metric, CanBeScaledBetweenChanceAndOne) {
  Sweep sweep(OneLoss({"rnn"}));
  sweep.Add("rnn", 1, 0.75, 0.5);  // half of the strings are members
  const Study study = sweep.Read("scaled_accuracy");
  EXPECT_NEAR(*study.runs[0].score, 0.5, 1e-12);
}

TEST(Metric, MetricThatNoRunHasIsRefused) {
  Sweep sweep(OneLoss({"rnn"}));
  EXPECT_NO_THROW(sweep.Read("state_accuracy_positions"));  // nothing is known yet
  sweep.Add("rnn", 1, 0.75, 0.5);
  EXPECT_THAT(RefusalOf([&] { sweep.Read("state_accuracy_positions"); }),
              HasSubstr("no run has state_accuracy_positions"));
  EXPECT_THAT(RefusalOf([&] { sweep.Read("beauty"); }),
              HasSubstr("metric: unknown metric 'beauty'"));
}

// Losses without recognition have no accuracy: what they have is shown.
TEST(Metric, IsWhatRunsHaveIfTheyDoNotRecognize) {
  FakeGrid grid = OneLoss({"rnn"});
  grid.losses = {"ns"};
  Sweep sweep(grid);
  FakeRun run{.loss = "ns", .next_symbol_accuracy = std::pair(0.9375, 0.5), .recognizes = false};
  sweep.fake.Add(run);
  const Study study = sweep.Read();
  EXPECT_EQ(study.metric.name, "next_symbol_accuracy_positions");
  const Selection selection(study);
  EXPECT_EQ(CellAt(MainTable(selection), 0, "short_rnn").value, 0.9375);
  EXPECT_EQ(CellAt(MetricsTable(selection), 0, "next_symbol_accuracy_strings").value, 0.5);
  const TemporaryDirectory directory;
  WriteReport({sweep.fake.directory()}, directory.path() / "report");
}

// One validation set, one loss, one size, nothing published: no table says anything about others.
TEST(Report, HasNoTableOfWhatTheGridDoesNotHave) {
  Sweep sweep(OneLoss({"rnn", "lstm"}));
  sweep.Add("rnn", 1, 0.75, 0.5);
  const Study study = sweep.Read();
  RunFiles files;
  std::vector<std::string> names;
  for (const Table& table : MakeTables(Selection(study), files)) {
    names.push_back(table.name);
    EXPECT_FALSE(table.rows.empty()) << table.name;
    EXPECT_THAT(table.caption, Not(HasSubstr("long")));
  }
  EXPECT_THAT(names, ElementsAre("main", "main-long", "predicted", "cost"));
  EXPECT_THAT(GroupsOf(MainTable(Selection(study))),
              ElementsAre("", "Validation short", "Validation short"));
}

TEST(Baselines, HaveTheAutomatonOfStateMerging) {
  Sweep sweep(OneLoss({"rnn"}));
  sweep.Add("rnn", 1, 0.75, 0.5);
  Study study = sweep.Read();
  study.baselines["parity"]["test"].state_merging = 0.625;
  EXPECT_EQ(CellAt(MainTable(Selection(study)), 0, "state_merging").value, 0.625);
  EXPECT_EQ(CellAt(MainLongTable(Selection(study)), 0, "state_merging").value, 0.625);
}

TEST(ByLength, PoolsTheStringsOfEachBin) {
  const TemporaryDirectory directory;
  const FakeGrid grid = {
      .variants = {"rnn"}, .losses = {"rec"}, .validations = {"short"}, .trials = 1, .report = {}};
  WritePlausibleSweep(directory.path() / "out", grid, false);
  const Study study = ReadStudy({directory.path() / "out"});
  RunFiles files;
  const std::vector<LengthBin> bins = LengthBinsOf(study, "parity");
  ASSERT_EQ(bins.size(), 10u);
  EXPECT_EQ(bins[0].Title(), "0–50");
  EXPECT_EQ(bins[9].Title(), "451–500");
  const auto curves = LengthCurvesOf(Selection(study), "parity", files);
  ASSERT_EQ(curves.size(), 1u);
  // From the lines of single strings, not from the sums that the program made of them.
  std::map<std::size_t, std::pair<double, double>> right;  // by bin
  std::istringstream lines(ReadFile(study.runs[0].path / "eval/test.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json example = Json::parse(line);
    const auto length = example["length"].get<std::size_t>();
    auto& [correct, all] = right[length == 0 ? 0 : (length - 1) / 50];
    const bool accepts = example["logit"].get<double>() >= 0;
    correct += accepts == (example["label"].get<int>() == 1) ? 1 : 0;
    ++all;
  }
  for (std::size_t i = 0; i < bins.size(); ++i) {
    ASSERT_TRUE(curves[0].mean[i]) << i;
    EXPECT_NEAR(*curves[0].mean[i], right[i].first / right[i].second, 0.01) << i;
  }
  const Plots plots = LengthPlots(Selection(study), "parity", files);
  ASSERT_EQ(plots.size(), 1u);
  const Plot& plot = plots.at("accuracy-by-length");
  EXPECT_EQ(plot.title, "Parity (n = 1)");
  EXPECT_THAT(plot.vertical_lines, ElementsAre(40));
  EXPECT_EQ(plot.series.at(0).points.at(9).x, 475.5);
  EXPECT_EQ(plot.series.at(0).points.at(9).y, curves[0].mean[9]);
  const Table table = ByLengthTables(Selection(study), files).at(0);
  EXPECT_EQ(table.columns[4].group, "Trained to 40");
  EXPECT_EQ(table.columns[5].group, "Longer");
}

FakeGrid ManyLanguages() {
  FakeGrid grid = OneLoss({"transformer", "lstm"});
  grid.languages = {"parity", "even-pairs", "cycle-navigation", "first", "repeat-01", "majority"};
  grid.trials = 1;
  return grid;
}

TEST(Theory, CountsWhatIsExcludedAndLearnedAllTheSame) {
  Sweep sweep(ManyLanguages());
  for (const char* language : {"parity", "cycle-navigation", "first", "majority"}) {
    FakeRun run{.language = language, .variant = "transformer"};
    run.test = std::string_view(language) == "cycle-navigation" ? 1 : 0.75;
    sweep.fake.Add(run);
  }
  const Study study = sweep.Read();
  const Table table = TheoryTable(Selection(study));
  bool found = false;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (CellAt(table, i, "model").text != "unique hard attention, any positions") continue;
    found = true;
    // Of three regular languages with a run, parity and cycle navigation are not in AC⁰.
    EXPECT_EQ(CellAt(table, i, "languages").value, 3);
    EXPECT_EQ(CellAt(table, i, "excluded").value, 2);
    EXPECT_EQ(CellAt(table, i, "learned").value, 1);
    EXPECT_EQ(CellAt(table, i, "names").text, "Cycle Navigation");
  }
  EXPECT_TRUE(found);
}

TEST(ByClass, AveragesOverTheLanguagesOfAClass) {
  Sweep sweep(ManyLanguages());
  double score = 0.5;
  for (const char* language : {"parity", "even-pairs", "cycle-navigation", "first", "majority"}) {
    FakeRun run{.language = language, .variant = "lstm"};
    run.test = score += 0.0625;
    sweep.fake.Add(run);
  }
  Study study = sweep.Read();
  EXPECT_TRUE(ByClassTable(Selection(study)).rows.empty());  // no class has five of them
  for (const std::string& language : study.axes.languages) {
    study.classes[language] = study.classes["parity"];
  }
  const Table table = ByClassTable(Selection(study));
  ASSERT_EQ(table.rows.size(), 2u * classes::SmallestClasses(*study.classes["parity"]).size());
  EXPECT_EQ(CellAt(table, 0, "languages").value, 0);  // no transformer
  EXPECT_EQ(CellAt(table, 1, "languages").value, 5);
  EXPECT_NEAR(CellAt(table, 1, "test").value, 0.5 + 3 * 0.0625, 1e-12);
  ASSERT_TRUE(CellAt(table, 1, "test_interval").interval);
  EXPECT_EQ(CellAt(table, 1, "test_interval").interval->n, 5u);
}

// A loss without recognition beside one with it: there is no column without a number.
TEST(Findings, NameArchitecturesWhoseLossHasNotTheMetric) {
  Sweep sweep(OneLoss({"rnn", "lstm"}));
  sweep.Add("rnn", 1, 0.75, 0.5);
  sweep.Add("rnn", 2, 0.75, 0.5);
  for (const std::size_t trial : {std::size_t{1}, std::size_t{2}}) {
    sweep.fake.Add({.variant = "lstm",
                    .trial = trial,
                    .next_symbol_accuracy = std::pair(0.9375, 0.5),
                    .recognizes = false});
  }
  const Study study = sweep.Read();
  const Selection selection(study);
  EXPECT_THAT(FindingsOf(selection).missing,
              Contains("No run of LSTM has accuracy, which its loss does not measure."));
  for (const Column& column : MainTable(selection).columns) EXPECT_NE(column.title, "LSTM");
}

// The commas of a title are not those of the sentence.
TEST(Findings, NameVariantsInBrackets) {
  Sweep sweep(OneLoss({"mamba", "mamba,eigenvalues=signed"}));
  sweep.Add("mamba", 1, 0.75, 0.5);
  sweep.Add("mamba,eigenvalues=signed", 1, 0.875, 0.5);
  const Study study = sweep.Read();
  EXPECT_EQ(FindingsOf(Selection(study)).sentences[0],
            "Of 2 architectures, Mamba (signed) is best on Parity (accuracy).");
}

TEST(LengthsText, OfOneLengthNamesItOnce) {
  FakeGrid grid = OneLoss({"rnn"});
  grid.data = {{"splits.test.min_length", "500"}, {"splits.validation-short.min_length", "30"}};
  Sweep sweep(grid);
  sweep.Add("rnn", 1, 0.75, 0.5);
  EXPECT_THAT(MainTable(Selection(sweep.Read())).caption,
              AllOf(HasSubstr("on strings of length 500. "), HasSubstr("on lengths 30 to 40,")));
}

TEST(Findings, SayWhereNothingIsBetterThanTheFormat) {
  Sweep sweep(OneLoss({"rnn", "lstm"}));
  sweep.Add("rnn", 1, 0.75, 0.5);
  sweep.Add("lstm", 1, 0.875, 0.5);
  const auto sentences = [&](double format) {
    sweep.fake.AddBaselines("parity", format, 0.5, 0.5);
    const Study study = sweep.Read();
    return FindingsOf(Selection(study)).sentences;
  };
  EXPECT_THAT(sentences(0.875), Contains("On Parity none is better than knowing the format."));
  EXPECT_THAT(sentences(0.75), Not(Contains(HasSubstr("knowing the format"))));
}

TEST(Findings, SayWhatIsBestAndWhatIsMissing) {
  Sweep sweep(OneLoss({"rnn", "lstm"}));
  sweep.Add("rnn", 1, 0.75, 0.5);
  sweep.Add("lstm", 1, 0.875, 0.5);
  sweep.Add("lstm", 2, 1, 0.5);
  const Study study = sweep.Read();
  const Findings findings = FindingsOf(Selection(study));
  EXPECT_THAT(findings.sentences,
              ElementsAre("Of 2 architectures, LSTM is best on Parity (accuracy).",
                          "Some run has accuracy 1.",
                          "Trials of one point of the grid differ by up to 0.12 (Parity, LSTM)."));
  EXPECT_THAT(findings.missing, ElementsAre("Missing: 1 of 4 runs (1 waiting)."));
}

}  // namespace
}  // namespace flare::report
