// Which runs may be averaged: those of the same settings, data and arithmetic.

#include "flare/report/cohorts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/report/report.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

FakeRun Scored(std::size_t trial, double test) {
  FakeRun run;
  run.trial = trial;
  run.test = test;
  return run;
}

const FakeGrid kSmall{
    .variants = {"rnn", "transformer"}, .losses = {"rec"}, .validations = {"short"}};

FakeGrid Small(const std::string& name, const SettingTexts& settings = {}) {
  FakeGrid grid = kSmall;
  grid.name = name;
  grid.settings = settings;
  return grid;
}

double MeanOf(const Study& study, const std::string& column) {
  return Selection(study).Score(study.columns[0], "parity", column)->value;
}

TEST(Arithmetic, RecurrentRunsOfTwoVersionsAreNeverAveraged) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", kSmall);
  FakeRun old = Scored(1, 1);
  old.arithmetic = "0.1";
  fake.Add(old);
  fake.Add(Scored(2, 0.5));
  for (const std::size_t trial : {1u, 2u}) {
    FakeRun transformer = Scored(trial, 0.5 * static_cast<double>(trial));
    transformer.variant = "transformer";
    fake.Add(transformer);
  }
  const Study study = ReadStudy({fake.directory()});
  EXPECT_EQ(study.axes.variants, (std::vector<std::string>{"rnn (arithmetic 0.1)",
                                                           "rnn (arithmetic 0.2)", "transformer"}));
  EXPECT_EQ(MeanOf(study, "rnn (arithmetic 0.1)"), 1);
  EXPECT_EQ(MeanOf(study, "rnn (arithmetic 0.2)"), 0.5);
  EXPECT_EQ(MeanOf(study, "transformer"), 0.75);
  EXPECT_EQ(study.Title("rnn (arithmetic 0.1)"), "Simple RNN (arithmetic 0.1)");
}

TEST(Arithmetic, SingleVersionIsNotMentioned) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", kSmall);
  for (const std::size_t trial : {1u, 2u}) {
    FakeRun run = Scored(trial, 1);
    run.arithmetic = "0.1";
    fake.Add(run);
  }
  const Study study = ReadStudy({fake.directory()});
  EXPECT_EQ(study.axes.variants, (std::vector<std::string>{"rnn", "transformer"}));
}

TEST(Arithmetic, RunsThatAreNotBegunBelongToTodays) {
  const TemporaryDirectory directory;
  FakeGrid grid = kSmall;
  grid.trials = 4;
  FakeSweep fake(directory.path() / "out", grid);
  FakeRun old = Scored(1, 1);
  old.arithmetic = "0.1";
  fake.Add(old);
  fake.Add(Scored(2, 0.5));
  const Study study = ReadStudy({fake.directory()});
  EXPECT_EQ(
      Selection(study).CoverageOf(study.columns[0], "parity", "rnn (arithmetic 0.1)").expected, 1u);
  EXPECT_EQ(
      Selection(study).CoverageOf(study.columns[0], "parity", "rnn (arithmetic 0.2)").expected, 3u);
}

TEST(Target, RunsOfDifferentOnesAreNeverAveraged) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", Small("native", {{"target", "native"}}));
  FakeRun first = Scored(1, 1), second = Scored(2, 0.5);
  first.native_target = "AVX2";
  second.native_target = "AVX3";
  fake.Add(first);
  fake.Add(second);
  const Study study = ReadStudy({fake.directory()});
  EXPECT_EQ(MeanOf(study, "rnn (target AVX2)"), 1);
  EXPECT_EQ(MeanOf(study, "rnn (target AVX3)"), 0.5);
}

TEST(Data, RunsOfDifferentDataAreNotAveraged) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", kSmall);
  fake.Add(Scored(1, 1));
  FakeRun other = Scored(2, 0.5);
  other.data = "other labels";
  fake.Add(other);
  const std::string refusal = RefusalOf([&] { ReadStudy({fake.directory()}); });
  EXPECT_THAT(refusal,
              HasSubstr("runs/parity/rnn/rec/short/64000/2: its data of parity is not that of"));
}

TEST(Data, RunsOfOtherDataThanPlannedAreDamaged) {
  const TemporaryDirectory directory;
  FakeGrid grid = kSmall;
  grid.data_sha256["parity"] = FakeDataSha256("parity");
  FakeSweep fake(directory.path() / "out", grid);
  fake.Add(Scored(1, 1));
  FakeRun other = Scored(2, 0.5);
  other.data = "other labels";
  fake.Add(other);
  const Study study = ReadStudy({fake.directory()});
  EXPECT_EQ(study.Count(RunState::kDamaged), 1u);
  EXPECT_EQ(MeanOf(study, "rnn"), 1);
}

TEST(SeveralSweeps, ShowARunThatOneOfThemIsAt) {
  const TemporaryDirectory directory;
  FakeSweep idle(directory.path() / "idle", kSmall), busy(directory.path() / "busy", kSmall);
  busy.AddRunning(Scored(1, 1));
  for (const auto& order : {std::vector{idle.directory(), busy.directory()},
                            std::vector{busy.directory(), idle.directory()}}) {
    EXPECT_EQ(ReadStudy(order).Count(RunState::kRunning), 1u);
  }
}

// A grid may give the language another envelope; the data is the same.
TEST(SeveralSweeps, DifferentFormatsAreRefusedInAnyOrder) {
  const TemporaryDirectory directory;
  FakeSweep a(directory.path() / "a", kSmall), b(directory.path() / "b", kSmall);
  a.AddBaselines("parity", 0.5, 0.5, 0.5);
  const std::vector<fs::path> orders[] = {{a.directory(), b.directory()},
                                          {b.directory(), a.directory()}};
  const auto refusal = [&](const std::vector<fs::path>& order) {
    return RefusalOf([&] { ReadStudy(order); });
  };
  for (const auto& order : orders) {
    EXPECT_EQ(refusal(order), "");
    EXPECT_EQ(ReadStudy(order).FindBaselines("parity")->format_only, 0.5);
  }
  b.AddBaselines("parity", 0.5, 0.5, 0.5);
  for (const auto& order : orders) EXPECT_EQ(refusal(order), "");
  b.AddBaselines("parity", 0.75, 0.5, 0.5);
  EXPECT_THAT(refusal(orders[0]), HasSubstr("b/baselines/parity.json: its format_only of test is "
                                            "0.75, and that of "));
  EXPECT_THAT(refusal(orders[0]), HasSubstr("a/baselines/parity.json is 0.5"));
  EXPECT_THAT(refusal(orders[1]), HasSubstr("a/baselines/parity.json: its format_only of test is "
                                            "0.5, and that of "));
}

TEST(SeveralSweeps, DifferentSettingsStandSideBySide) {
  const TemporaryDirectory directory;
  FakeSweep a(directory.path() / "a", Small("fast", {{"learning_rate", "0.01"}}));
  FakeSweep b(directory.path() / "b", Small("slow", {{"learning_rate", "0.0001"}}));
  for (const std::size_t trial : {1u, 2u}) {
    a.Add(Scored(trial, 1));
    b.Add(Scored(trial, 0.5));
  }
  const ReportSummary summary =
      WriteReport({a.directory(), b.directory()}, directory.path() / "report");
  EXPECT_EQ(summary.Text(), "4 of 8 runs finished");
  for (const auto& order :
       {std::vector{a.directory(), b.directory()}, std::vector{b.directory(), a.directory()}}) {
    const Study study = ReadStudy(order);
    EXPECT_EQ(MeanOf(study, "rnn (fast)"), 1);
    EXPECT_EQ(MeanOf(study, "rnn (slow)"), 0.5);
  }
}

// A rate of 0 is a rate, as good as any that was given.
TEST(SeveralSweeps, DrawnAndGivenSettingsStandSideBySide) {
  const TemporaryDirectory directory;
  FakeSweep a(directory.path() / "a", Small("still", {{"learning_rate", "0"}}));
  FakeSweep b(directory.path() / "b", Small("drawn"));
  a.Add(Scored(1, 0.5));
  b.Add(Scored(1, 1));
  const Study study = ReadStudy({a.directory(), b.directory()});
  EXPECT_EQ(MeanOf(study, "rnn (still)"), 0.5);
  EXPECT_EQ(MeanOf(study, "rnn (drawn)"), 1);
}

TEST(SeveralSweeps, DrawnAndGivenCoefficientsStandSideBySide) {
  const TemporaryDirectory directory;
  FakeGrid given = Small("given", {{"lm_coefficient", "0"}}), drawn = Small("drawn");
  given.losses = drawn.losses = {"rec+lm"};
  FakeSweep a(directory.path() / "a", given), b(directory.path() / "b", drawn);
  FakeRun first = Scored(1, 0.5), second = Scored(2, 1);
  first.loss = second.loss = "rec+lm";
  a.Add(first);
  b.Add(second);
  const Study study = ReadStudy({a.directory(), b.directory()});
  EXPECT_EQ(MeanOf(study, "rnn (given)"), 0.5);
  EXPECT_EQ(MeanOf(study, "rnn (drawn)"), 1);
}

TEST(SeveralSweeps, DifferentSeedsStandSideBySide) {
  const TemporaryDirectory directory;
  FakeGrid other = kSmall;
  other.seed = 1;
  FakeSweep a(directory.path() / "a", kSmall), b(directory.path() / "b", other);
  a.Add(Scored(1, 1));
  b.Add(Scored(1, 0.5));
  const Study study = ReadStudy({a.directory(), b.directory()});
  EXPECT_EQ(study.Count(RunState::kFinished), 2u);
  // Both grids have the same name, so that their directories tell them apart.
  EXPECT_EQ(MeanOf(study, "rnn (" + a.directory().string() + ")"), 1);
  EXPECT_EQ(MeanOf(study, "rnn (" + b.directory().string() + ")"), 0.5);
}

// Runs of two seeds are not trials of one experiment, and a third sweep that has no run in common
// with either does not make them so.
TEST(SeveralSweeps, DifferentSeedsStandSideBySideWhateverElseDiffers) {
  const TemporaryDirectory directory;
  FakeGrid elsewhere = Small("elsewhere"), one = Small("one"), two = Small("two");
  elsewhere.validations = {"long"};
  one.seed = 1;
  two.seed = 2;
  FakeSweep a(directory.path() / "a", elsewhere), b(directory.path() / "b", one),
      c(directory.path() / "c", two);
  b.Add(Scored(1, 1));
  c.Add(Scored(2, 0.5));
  const std::vector<fs::path> all = {a.directory(), b.directory(), c.directory()};
  std::vector<std::size_t> order = {0, 1, 2};
  do {
    const Study study = ReadStudy({all[order[0]], all[order[1]], all[order[2]]});
    const Selection selection(study);
    for (const RunGroup& group : selection.groups()) {
      EXPECT_LE(group.Scores().size(), 1u) << group.variant;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  // A column names every sweep that it is of.
  std::set<std::string> columns;
  const Study study = ReadStudy(all);
  const Selection selection(study);
  for (const RunGroup& group : selection.groups()) columns.insert(group.variant);
  EXPECT_TRUE(columns.contains("rnn (elsewhere, one)"));
  EXPECT_TRUE(columns.contains("rnn (two)"));
}

TEST(SeveralSweeps, SameRunsCountOnce) {
  const TemporaryDirectory directory;
  FakeGrid more = kSmall;
  more.trials = 4;
  FakeSweep a(directory.path() / "a", kSmall), b(directory.path() / "b", more);
  a.Add(Scored(1, 1));
  b.Add(Scored(1, 1));
  b.Add(Scored(2, 0.5));  // which the first does not have yet
  b.Add(Scored(3, 0));
  const Study study = ReadStudy({a.directory(), b.directory()});
  EXPECT_EQ(study.runs.size(), 8u);
  EXPECT_EQ(study.Count(RunState::kFinished), 3u);
  EXPECT_EQ(MeanOf(study, "rnn"), 0.5);
}

// It must not matter which of two is shown.
TEST(SeveralSweeps, DifferentOutcomesOfARunAreRefused) {
  const TemporaryDirectory directory;
  FakeSweep a(directory.path() / "a", kSmall), b(directory.path() / "b", kSmall);
  a.Add(Scored(1, 1));
  FakeRun other = Scored(1, 1);
  other.epochs = 7;
  b.Add(other);
  const std::string refusal = RefusalOf([&] { ReadStudy({a.directory(), b.directory()}); });
  EXPECT_THAT(refusal, HasSubstr("differs from the run"));
  EXPECT_THAT(refusal, HasSubstr("epochs is 7"));
}

TEST(SeveralSweeps, DifferentDataAreRefusedWithTheDifference) {
  const TemporaryDirectory directory;
  FakeSweep a(directory.path() / "a", kSmall), b(directory.path() / "b", kSmall);
  a.Add(Scored(1, 1));
  FakeRun other = Scored(2, 0.5);
  other.data = "other labels";
  b.Add(other);
  const std::string refusal = RefusalOf([&] { ReadStudy({a.directory(), b.directory()}); });
  EXPECT_THAT(refusal, HasSubstr("its data of parity is not that of"));
}

// Labels are for people, who must not take one column for another.
TEST(SeveralSweeps, VariantsWithTheSameTitleAreToldApart) {
  const TemporaryDirectory directory;
  FakeGrid labelled = Small("a"), plain = Small("b"), again = Small("c");
  labelled.variants = {"rnn"};
  labelled.labels = {{"rnn", "LSTM"}};
  plain.variants = {"lstm", "gru"};
  again.variants = {"transformer"};
  again.labels = {{"transformer", "GRU"}};
  FakeSweep a(directory.path() / "a", labelled), b(directory.path() / "b", plain),
      c(directory.path() / "c", again);
  const Study study = ReadStudy({a.directory(), b.directory(), c.directory()});
  EXPECT_EQ(study.Title("rnn"), "LSTM (rnn)");
  EXPECT_EQ(study.Title("lstm"), "LSTM");
  EXPECT_EQ(study.ShortTitle("rnn"), "LSTM (rnn)");
  EXPECT_EQ(study.ShortTitle("transformer"), "GRU (transformer)");
  EXPECT_EQ(ReadStudy({a.directory()}).Title("rnn"), "LSTM");
}

// Some tables have room for "RNN" only.
TEST(SeveralSweeps, ALabelThatIsATitleElsewhereIsToldApartEverywhere) {
  const TemporaryDirectory directory;
  FakeGrid grid = Small("a");
  grid.variants = {"rnn", "rnn,dropout=0", "rnn,layers=2"};
  grid.labels = {{"rnn,dropout=0", "Simple RNN"}, {"rnn,layers=2", "RNN"}};
  FakeSweep fake(directory.path() / "a", grid);
  const Study study = ReadStudy({fake.directory()});
  EXPECT_EQ(study.Title("rnn"), "Simple RNN");
  EXPECT_EQ(study.ShortTitle("rnn"), "RNN");
  for (const std::string& title :
       {study.Title("rnn,dropout=0"), study.ShortTitle("rnn,dropout=0")}) {
    EXPECT_EQ(title, "Simple RNN (rnn,dropout=0)");
  }
  EXPECT_EQ(study.Title("rnn,layers=2"), "RNN (rnn,layers=2)");
  // Nor is a title that is made this way given to two.
  grid.labels["rnn,layers=2"] = "Simple RNN (rnn,dropout=0)";
  FakeSweep made(directory.path() / "b", grid);
  EXPECT_EQ(ReadStudy({made.directory()}).Title("rnn,layers=2"),
            "Simple RNN (rnn,dropout=0) (rnn,layers=2)");
}

TEST(CopiedRuns, AreNamedAndNotCounted) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", kSmall);
  fake.Add(Scored(1, 1));
  fs::copy(fake.RunPath(Scored(1, 1)), fake.RunPath(Scored(2, 1)), fs::copy_options::recursive);
  const ReportSummary summary = WriteReport({fake.directory()}, directory.path() / "report");
  EXPECT_EQ(summary.Text(), "1 of 4 runs finished; 1 damaged");
  ASSERT_EQ(summary.damaged_runs.size(), 1u);
  EXPECT_THAT(summary.damaged_runs[0], HasSubstr("parity/rnn/rec/short/64000/2: "));
  EXPECT_THAT(summary.damaged_runs[0], HasSubstr("is a different run: its seed is"));
}

}  // namespace
}  // namespace flare::report
