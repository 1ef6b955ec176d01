// Two sweeps, run by run.

#include "flare/report/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

class Compare : public testing::Test {
 protected:
  static FakeGrid GridOf(const char* rate) {
    return {.variants = {"rnn"},
            .losses = {"rec"},
            .validations = {"short"},
            .trials = 6,
            .settings = {{"learning_rate", rate}}};
  }
  static FakeRun Trial(std::size_t trial, double test) {
    FakeRun run;
    run.trial = trial;
    run.test = test;
    return run;
  }
  CompareSummary Write() {
    return WriteComparison(a_.directory(), b_.directory(), folder_.path() / "to");
  }
  Json Row(std::size_t i) const {
    return Json::parse(ReadFile(folder_.path() / "to/compare.json"))["rows"].at(i);
  }

  TemporaryDirectory folder_;
  FakeSweep a_{folder_.path() / "a", GridOf("0.01")}, b_{folder_.path() / "b", GridOf("0.001")};
};

TEST_F(Compare, IsMadeAgainInItsOwnFolder) {
  a_.Add(Trial(1, 0.5));
  b_.Add(Trial(1, 0.75));
  Write();
  const std::string table = ReadFile(folder_.path() / "to/compare.md");
  EXPECT_EQ(Write().Text(), "1 pair of runs");
  EXPECT_EQ(ReadFile(folder_.path() / "to/compare.md"), table);
  // Not next to a report, whose page it would replace; nor the other way round.
  WriteReport({a_.directory()}, folder_.path() / "report");
  EXPECT_THAT(RefusalOf([&] {
                WriteComparison(a_.directory(), b_.directory(), folder_.path() / "report");
              }),
              HasSubstr("holds a report"));
  EXPECT_THAT(RefusalOf([&] { WriteReport({a_.directory()}, folder_.path() / "to"); }),
              HasSubstr("holds a comparison"));
}

TEST_F(Compare, TellsInWhatTheSweepsDifferWhateverTheirNames) {
  a_.Add(Trial(1, 0.5));
  b_.Add(Trial(1, 0.75));
  Write();
  const std::string text = ReadFile(folder_.path() / "to/compare.md");
  EXPECT_THAT(text, HasSubstr("overrides.learning\\_rate is"));
}

TEST_F(Compare, PairsRunsByTheirCoordinates) {
  for (std::size_t trial = 1; trial <= 5; ++trial) a_.Add(Trial(trial, 0.5));
  for (std::size_t trial = 2; trial <= 6; ++trial) {
    b_.Add(Trial(trial, 0.5 + 0.0625 * static_cast<double>(trial)));
  }
  EXPECT_EQ(Write().Text(), "4 pairs of runs; 2 runs without a partner");
  const Json row = Row(0);
  EXPECT_EQ(row["pairs"]["value"], 4);
  EXPECT_EQ(row["first"]["value"], 0.5);
  EXPECT_EQ(row["difference"]["value"], 0.0625 * 3.5);
  EXPECT_EQ(row["better"]["value"], 4);
  EXPECT_FALSE(row["difference_interval"].contains("low"));  // of four pairs
  EXPECT_EQ(
      ReadFile(folder_.path() / "to/pairs.csv").find("parity,rnn,rec,short,64000,2,0.5,0.625"),
      std::string("language,variant,loss,validation,budget,trial,first,second,difference\n")
          .size());
  const std::string text = ReadFile(folder_.path() / "to/compare.md");
  EXPECT_THAT(text, HasSubstr("overrides.learning"));
}

TEST_F(Compare, NamesWhatItLeavesOut) {
  for (std::size_t trial = 1; trial <= 3; ++trial) a_.Add(Trial(trial, 0.5));
  for (std::size_t trial = 1; trial <= 2; ++trial) b_.Add(Trial(trial, 0.75));
  WriteFile(b_.RunPath(Trial(2, 0.75)) / "result.json", "nonsense");
  const CompareSummary summary = Write();
  EXPECT_EQ(summary.Text(), "1 pair of runs; 2 runs without a partner; 1 damaged");
  EXPECT_THAT(summary.damaged_runs.at(0), HasSubstr("parity/rnn/rec/short/64000/2: "));
  const std::string text = ReadFile(folder_.path() / "to/compare.md");
  EXPECT_THAT(text, HasSubstr("2 runs without a partner are left out."));
  EXPECT_THAT(text, HasSubstr("Damaged, and left out: "));
}

TEST_F(Compare, GivesIntervalsOfFivePairs) {
  for (std::size_t trial = 1; trial <= 5; ++trial) {
    a_.Add(Trial(trial, 0.5));
    b_.Add(Trial(trial, trial == 1 ? 0.25 : 0.75));
  }
  Write();
  const Json interval = Row(0)["difference_interval"];
  EXPECT_EQ(interval["n"], 5);
  EXPECT_LT(interval["low"].get<double>(), 0.15);
  EXPECT_EQ(interval["high"], 0.25);
  EXPECT_EQ(Row(2)["pairs"]["value"], 5);  // all architectures
}

// Six trials of five languages, of which one gained: of languages, that may be chance.
TEST_F(Compare, ResamplesLanguagesWhereThereAreSeveral) {
  FakeGrid grid = GridOf("0.01");
  grid.languages = {"parity", "first", "majority", "even-pairs", "repeat-01"};
  FakeSweep a(folder_.path() / "several-a", grid), b(folder_.path() / "several-b", grid);
  for (const std::string& language : grid.languages) {
    for (std::size_t trial = 1; trial <= 6; ++trial) {
      FakeRun run = Trial(trial, 0.5);
      run.language = language;
      a.Add(run);
      run.test = language == "parity" ? 0.75 : 0.5;
      b.Add(run);
    }
  }
  WriteComparison(a.directory(), b.directory(), folder_.path() / "to");
  const Json all = Row(6);
  EXPECT_EQ(all["pairs"]["value"], 30);
  EXPECT_DOUBLE_EQ(all["difference"]["value"].get<double>(), 0.05);
  EXPECT_EQ(all["difference_interval"]["n"], 5);
  EXPECT_EQ(all["difference_interval"]["low"], 0);
}

TEST_F(Compare, SaysIfDataOrArithmeticDiffer) {
  a_.Add(Trial(1, 0.5));
  FakeRun other = Trial(1, 0.75);
  other.data = "other labels";
  other.arithmetic = "0.1";
  b_.Add(other);
  Write();
  const std::string text = ReadFile(folder_.path() / "to/compare.md");
  EXPECT_THAT(text, HasSubstr("The data of parity is not the same in both."));
  EXPECT_THAT(text, HasSubstr("1 pair was computed with different arithmetic."));
}

TEST_F(Compare, RefusesSweepsWithoutAPair) {
  a_.Add(Trial(1, 0.5));
  b_.Add(Trial(2, 0.5));
  EXPECT_THAT(RefusalOf([&] { Write(); }), HasSubstr("has no finished run in common with"));
}

}  // namespace
}  // namespace flare::report
