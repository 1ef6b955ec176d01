#include "flare/report/runs_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/csv_rows.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;
using testing::Not;

struct FakeStudy {
  explicit FakeStudy(const FakeGrid& grid) : sweep(folder.path() / "out", grid) {}

  std::string Csv() const { return FormatRunsCsv(ReadStudy({sweep.directory()})); }

  TemporaryDirectory folder;
  FakeSweep sweep;
};

TEST(RunsCsv, HasARowForEveryRunOfTheGridWithWhatIsKnownOfIt) {
  FakeStudy fake({.losses = {"rec"}, .trials = 1});
  fake.sweep.Add({.test = 0.6, .longest_perfect_length = 7, .counts_errors = true});
  fake.sweep.Add({.variant = "lstm", .diverged = true, .has_metrics = false});
  fake.sweep.AddFailure({.variant = "transformer"}, "no memory");
  std::size_t finished = 0, diverged = 0, failed = 0;
  for (const auto& row : CsvRows(fake.Csv())) {
    if (row.at("state") == "finished") {
      ++finished;
      EXPECT_EQ(row.at("test_accuracy"), "0.6");
      EXPECT_EQ(row.at("test_longest_perfect_length"), "7");
      EXPECT_EQ(row.at("model_sha256").size(), 64u);
    } else if (row.at("state") == "diverged") {
      ++diverged;
      EXPECT_EQ(row.at("test_accuracy"), "");
    } else if (row.at("state") == "failed") {
      ++failed;
      EXPECT_EQ(row.at("failure"), "no memory");
    }
  }
  EXPECT_EQ(finished, 1u);
  EXPECT_EQ(diverged, 1u);
  EXPECT_EQ(failed, 1u);
}

TEST(RunsCsv, TextThatLooksLikeAFormulaIsWrittenAsText) {
  const std::vector<std::string> languages = {"=x", "'=x", "''=x", "@x", "-1", "'-1", "+0.5", "'x"};
  FakeStudy fake({.languages = languages, .variants = {"rnn"}, .losses = {"rec"}, .trials = 1});
  for (const std::string& language : languages) {
    fake.sweep.Add(
        {.language = language, .further_tests = {{"=test", 0.75}}, .counts_errors = true});
  }
  const std::string text = fake.Csv();
  EXPECT_THAT(text, HasSubstr("\n'=x,"));
  EXPECT_THAT(text, HasSubstr("\n-1,"));
  EXPECT_THAT(text, HasSubstr(",'=test_accuracy,"));
  for (const char* beginning : {"\n=", ",=", "\n@", ",@", ",\"=", "\n\"="}) {
    EXPECT_THAT(text, Not(HasSubstr(beginning)));
  }
}

// The first run has the default, which a list of settings leaves out.
TEST(RunsCsv, ASettingThatOnlyALaterVariantHasIsAColumn) {
  FakeStudy fake({.variants = {"transformer", "transformer,readout=eos"},
                  .losses = {"rec"},
                  .validations = {"short"},
                  .trials = 1});
  fake.sweep.Add({.variant = "transformer", .counts_errors = true});
  fake.sweep.Add({.variant = "transformer,readout=eos", .counts_errors = true});
  const auto rows = CsvRows(fake.Csv());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("readout"), "");
  EXPECT_EQ(rows[1].at("readout"), "eos");
}

// `state` is a column of the table, and an option of some architectures.
TEST(RunsCsv, AnOptionNamedLikeAColumnHasAColumnOfItsOwn) {
  FakeStudy fake({.variants = {"mamba,state=8", "other,epochs=9"},
                  .losses = {"rec"},
                  .validations = {"short"},
                  .trials = 1,
                  .externals = {{"other", {"./other"}, {"epochs"}}}});
  fake.sweep.Add({.variant = "mamba,state=8", .counts_errors = true});
  fake.sweep.Add({.variant = "other,epochs=9", .counts_errors = true});
  const auto rows = CsvRows(fake.Csv());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("state"), "finished");
  EXPECT_EQ(rows[0].at("state_size"), "8");
  EXPECT_EQ(rows[1].at("epochs"), "20");
  EXPECT_EQ(rows[1].at("epochs_setting"), "9");
}

// The size may be given as a number of units; the coordinate `budget` means nothing then.
TEST(RunsCsv, ARunOfAGivenSizeSaysSo) {
  FakeStudy fake({.losses = {"rec"}, .trials = 1, .settings = {{"hidden", "20"}}});
  fake.sweep.Add({.counts_errors = true});
  std::size_t sized = 0;
  for (const auto& row : CsvRows(fake.Csv())) {
    if (row.at("sized_by") != "hidden") continue;
    ++sized;
    EXPECT_EQ(row.at("hidden"), "20");
  }
  EXPECT_EQ(sized, 1u);
}

TEST(RunsCsv, SaysWhyARunCannotBeComparedWithPublishedValues) {
  for (const bool is_comparable : {true, false}) {
    FakeGrid grid{.losses = {"rec"}, .trials = 1};
    if (!is_comparable) grid.settings = {{"max_epochs", "1"}};
    FakeStudy fake(grid);
    fake.sweep.AddBaselines("parity", 0.625, 0.5, 0.75);
    fake.sweep.Add({});
    const auto row = CsvRows(fake.Csv()).at(0);
    EXPECT_EQ(row.at("incomparable"), is_comparable ? "" : "max_epochs is 1, not 1000");
    EXPECT_EQ(row.at("format_only"), "0.625");
    EXPECT_EQ(row.at("cohort"), "rnn");
  }
}

}  // namespace
}  // namespace flare::report
