#include "flare/report/runs_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/test_names.h"

namespace flare::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// As versions before the check wrote it.
std::string WithoutChecks(const std::string& text) {
  std::string old;
  for (const std::string_view line : Lines(text)) {
    old += std::string(line.substr(0, line.rfind(','))) + "\n";
  }
  return old;
}

// What is written about a sweep is read back: everything but what the table does not have.
TEST(RunsCsv, IsReadBackAsItWasWritten) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}});
  fake.Add({.test = 0.6, .longest_perfect_length = 7, .counts_errors = true});
  fake.Add({.variant = "lstm", .trial = 2, .diverged = true, .has_metrics = false});
  fake.AddFailure({.variant = "transformer"}, "no memory, \"none\"");
  const Study study = ReadStudy({fake.directory()}, fake.names());
  const auto records = ReadRunsCsv(FormatRunsCsv(study), "runs.csv", fake.names()).records;
  ASSERT_EQ(records.size(), 2u);
  std::size_t compared = 0;
  for (const report::Run& run : study.runs) {
    for (const RunRecord& record : records) {
      if (!(record.at == run.at)) continue;
      ++compared;
      EXPECT_EQ(record.imported, "runs.csv");
      EXPECT_EQ(ConfigDifference(record.config, *run.config, fake.names()).substr(0, 13),
                "data.alphabet");
      EXPECT_EQ(SettingsDifference(record.config.settings, run.config->settings, fake.names()), "");
      EXPECT_EQ(record.config.data.Sha256OfAll(), run.config->data.Sha256OfAll());
      EXPECT_EQ(record.result.outcome(), run.result->outcome());
      EXPECT_EQ(record.result.model_sha256, run.result->model_sha256);
      for (const auto& [split, metrics] : run.result->splits) {
        if (!metrics) continue;
        metrics->ForEachScalar([&, &split = split](std::string_view metric, double value) {
          EXPECT_EQ(record.result.Metric(split, metric), value) << split << " " << metric;
        });
      }
    }
  }
  EXPECT_EQ(compared, 2u);
}

// What a spreadsheet would take for a formula is written as text, and read back as it was.
TEST(RunsCsv, TextThatLooksLikeAFormulaIsReadBack) {
  const std::vector<std::string> languages = {"=x", "'=x", "''=x", "@x", "-1", "'-1", "+0.5", "'x"};
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out",
                 {.languages = languages, .variants = {"rnn"}, .losses = {"rec"}, .trials = 1});
  for (const std::string& language : languages) {
    fake.Add({.language = language, .further_tests = {{"=test", 0.75}}, .counts_errors = true});
  }
  const std::string text = FormatRunsCsv(ReadStudy({fake.directory()}, fake.names()));
  EXPECT_THAT(text, HasSubstr("\n'=x,"));
  EXPECT_THAT(text, HasSubstr("\n-1,"));
  EXPECT_THAT(text, HasSubstr(",'=test_accuracy,"));
  for (const char* beginning : {"\n=", ",=", "\n@", ",@", ",\"=", "\n\"="}) {
    EXPECT_THAT(text, Not(HasSubstr(beginning)));
  }
  std::vector<std::string> read;
  for (const RunRecord& record : ReadRunsCsv(text, "runs.csv", fake.names()).records) {
    read.push_back(record.at.language);
    EXPECT_EQ(record.result.Metric("=test", "accuracy"), 0.75);
  }
  EXPECT_EQ(read, languages);
}

// `state` is a column of the table, and an option of some architectures.
TEST(RunsCsv, AnOptionNamedAsAColumnHasItsOwn) {
  Names names = TestNames();
  names.architectures.push_back({"mamba", "0.2", {Option{"state", {}, 1, 64, "16", ""}}});
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out",
                 {.variants = {"rnn", "mamba,state=8"}, .losses = {"rec"}, .trials = 1}, names);
  fake.Add({.counts_errors = true});
  fake.Add({.variant = "mamba,state=8", .counts_errors = true});
  const auto records =
      ReadRunsCsv(FormatRunsCsv(ReadStudy({fake.directory()}, names)), "runs.csv", names).records;
  ASSERT_EQ(records.size(), 2u);
  EXPECT_TRUE(records[0].config.settings.options.empty());
  EXPECT_EQ(records[1].config.settings.options, (OptionTexts{{"state", "8"}}));
}

// The size may be given as a number of units; the coordinate `budget` means nothing then.
TEST(RunsCsv, ARunOfAGivenSizeHasNoBudget) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out",
                 {.losses = {"rec"}, .trials = 1, .settings = {{"hidden", "20"}}});
  fake.Add({.counts_errors = true});
  const Study study = ReadStudy({fake.directory()}, fake.names());
  const auto records = ReadRunsCsv(FormatRunsCsv(study), "runs.csv", fake.names()).records;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].config.settings.budget, 0u);
  EXPECT_EQ(records[0].config.settings.hidden, 20u);
}

TEST(RunsCsv, OptionsOfOtherProgramsDoNotMeetOurColumns) {
  Names names = TestNames();
  names.architectures.push_back({"other", "0.2", {Option{"epochs", {}, 1, 64, "16", ""}}});
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out",
                 {.variants = {"rnn", "other,epochs=8"}, .losses = {"rec"}, .trials = 1}, names);
  fake.Add({.counts_errors = true});
  fake.Add({.variant = "other,epochs=8", .counts_errors = true});
  const std::string text = FormatRunsCsv(ReadStudy({fake.directory()}, names));
  EXPECT_NE(text.find(",epochs_setting,"), std::string::npos);
  const RunsOfCsv runs = ReadRunsCsv(text, "runs.csv", TestNames());
  ASSERT_EQ(runs.records.size(), 1u);
  EXPECT_EQ(runs.records[0].result.epochs, 20u);
  EXPECT_EQ(runs.left_out.size(), 1u);
}

TEST(RunsCsv, ASplitsNameMayBeginWithAnothers) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({.test = 0.6, .further_tests = {{"test_hard", 0.75}}, .counts_errors = true});
  const Study study = ReadStudy({fake.directory()}, fake.names());
  const auto records = ReadRunsCsv(FormatRunsCsv(study), "runs.csv", fake.names()).records;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].result.Metric("test", "accuracy"), 0.6);
  EXPECT_EQ(records[0].result.Metric("test_hard", "accuracy"), 0.75);
  EXPECT_FALSE(records[0].result.Metric("test", "hard_accuracy"));
}

// A table does not have the commands by which runs of other programs are told apart.
TEST(RunsCsv, LeavesOutRunsOfOtherPrograms) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}});
  fake.Add({.counts_errors = true});
  std::string text = WithoutChecks(FormatRunsCsv(ReadStudy({fake.directory()}, fake.names())));
  const std::size_t row = text.find("\nparity,rnn,rec");
  ASSERT_NE(row, std::string::npos) << text;
  std::string other = text.substr(row + 1, text.find('\n', row + 1) - row);
  text += other.replace(other.find("rnn"), 3, "my-cnn");
  const RunsOfCsv runs = ReadRunsCsv(text, "runs.csv", fake.names());
  EXPECT_EQ(runs.records.size(), 1u);
  ASSERT_EQ(runs.left_out.size(), 1u);
  EXPECT_NE(runs.left_out[0].find(": 'my-cnn' is not one of our architectures"), std::string::npos)
      << runs.left_out[0];
}

TEST(RunsCsv, NoticesEveryByteThatChanged) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({.test = 0.6, .counts_errors = true});
  const std::string text = FormatRunsCsv(ReadStudy({fake.directory()}, fake.names()));
  const auto refusal = [&](const std::string& changed) {
    return RefusalOf([&] { ReadRunsCsv(changed, "runs.csv", fake.names()); });
  };
  EXPECT_EQ(refusal(text), "");
  // Also in the head, but for the name of the column of checks, and in rows of runs that have not
  // ended.
  const std::size_t name = text.find(",check\n") + 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i >= name && i < name + 5) continue;
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(refusal(changed), "") << i << ": " << text[i];
  }
}

// A digit or a heading that was changed, in a table without checks.
TEST(RunsCsv, RefusesFiguresThatCannotBe) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}});
  fake.Add({.test = 0.6, .counts_errors = true});
  const std::string text =
      WithoutChecks(FormatRunsCsv(ReadStudy({fake.directory()}, fake.names())));
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
    if (at != std::string::npos) changed.replace(at, from.size(), to);
    return RefusalOf([&] { ReadRunsCsv(changed, "runs.csv", fake.names()); });
  };
  EXPECT_EQ(refusal("5010,2505,0.6,", "5010,2505,0.6,"), "");
  EXPECT_EQ(refusal("5010,2505,0.6,", "5010,2505,0.9,"),
            "runs.csv:2: test: accuracy is 0.9, and 2004 of 5010 are wrong");
  EXPECT_EQ(refusal("5010,2505,0.6,", "5010,2505,1.6,"),
            "runs.csv:2: 'test_accuracy' is '1.6'; expected a number from 0 to 1");
  EXPECT_EQ(refusal("5010,2505,0.6,0.8,", "5010,2505,0.6,-0.8,"),
            "runs.csv:2: 'test_recognition_cross_entropy' is '-0.8'; expected a number from 0 to "
            "1.7976931348623157e+308");
  EXPECT_EQ(refusal("5010,2505,0.6,", "5010,many,0.6,"),
            "runs.csv:2: 'test_positives' is 'many'; expected a count");
  EXPECT_EQ(refusal("5010,2505,0.6,", "5010,5505,0.6,"),
            "runs.csv:2: test: 5505 of 5010 examples are positive");
  EXPECT_EQ(refusal(",0.5,0.75,", ",0.5,0.95,"),
            "runs.csv:2: its best validation accuracy is 0.95, and that of the model on the "
            "validation set 0.75");
  EXPECT_EQ(refusal(",0.5,0.75,", ",0.4,0.75,"),
            "runs.csv:2: its best validation cross-entropy is 0.4, and that of the model on the "
            "validation set 0.5");
  EXPECT_EQ(refusal("epochs,best_epoch", "best_epoch,epochs"),
            "runs.csv:2: its best epoch is 20 of 10");
  EXPECT_EQ(refusal(",20,10,0.5,", ",2000,10,0.5,"),
            "runs.csv:2: it has 2000 epochs of at most 1000");
  EXPECT_NE(refusal("test_accuracy,test_recognition_cross_entropy",
                    "test_recognition_cross_entropy,test_accuracy"),
            "");
  EXPECT_NE(refusal("train_examples", "test_examples").find("column"), std::string::npos);
  EXPECT_EQ(refusal("finished", "finishd").find("runs.csv:2: 'state' is 'finishd'"), 0u);
  EXPECT_EQ(refusal("test_false_positives", "test_false_alarms"),
            "runs.csv:2: test: of its errors a part is missing");
}

TEST(RunsCsv, CutInsideItsHeaderIsRefused) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({.counts_errors = true});
  const std::string text = FormatRunsCsv(ReadStudy({fake.directory()}, fake.names()));
  for (std::size_t size = 0; size <= text.find('\n'); ++size) {
    EXPECT_THAT(RefusalOf([&] { ReadRunsCsv(text.substr(0, size), "runs.csv", fake.names()); }),
                HasSubstr("runs.csv: is cut: it has no line that names the columns and ends"))
        << size;
  }
}

TEST(RunsCsv, NamesTheLineOfWhatIsWrong) {
  const auto refusal = [](const std::string& text) {
    return RefusalOf([&] { ReadRunsCsv(text, "runs.csv", TestNames()); });
  };
  EXPECT_EQ(refusal("a,b\n"),
            "runs.csv: is not a table of runs: it has no columns 'state' and 'failure'");
  EXPECT_EQ(refusal("language,state,failure\nparity,finished,\n"),
            "runs.csv:2: 'architecture' is missing");
}

}  // namespace
}  // namespace flare::report
