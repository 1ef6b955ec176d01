#include "flare/report/runs_csv.h"

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
  const Sweep sweep = ReadSweeps({fake.directory()}, fake.names());
  const auto records = ReadRunsCsv(FormatRunsCsv(sweep), "runs.csv", fake.names()).records;
  ASSERT_EQ(records.size(), 2u);
  std::size_t compared = 0;
  for (const report::Run& run : sweep.runs) {
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
        for (const auto& [metric, value] : metrics->Scalars()) {
          EXPECT_EQ(record.result.Metric(split, metric), value) << split << " " << metric;
        }
      }
    }
  }
  EXPECT_EQ(compared, 2u);
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
      ReadRunsCsv(FormatRunsCsv(ReadSweeps({fake.directory()}, names)), "runs.csv", names).records;
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
  const Sweep sweep = ReadSweeps({fake.directory()}, fake.names());
  const auto records = ReadRunsCsv(FormatRunsCsv(sweep), "runs.csv", fake.names()).records;
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
  const std::string text = FormatRunsCsv(ReadSweeps({fake.directory()}, names));
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
  const Sweep sweep = ReadSweeps({fake.directory()}, fake.names());
  const auto records = ReadRunsCsv(FormatRunsCsv(sweep), "runs.csv", fake.names()).records;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].result.Metric("test", "accuracy"), 0.6);
  EXPECT_EQ(records[0].result.Metric("test_hard", "accuracy"), 0.75);
  EXPECT_FALSE(records[0].result.Metric("test", "hard_accuracy"));
}

TEST(RunsCsv, OfVersion01IsRead) {
  const std::string file = std::string(FLARE_SOURCE_DIR) + "/results/0.1/published-runs.csv";
  const auto records = ReadRunsCsv(ReadFile(file), file, TestNames()).records;
  EXPECT_FALSE(records.empty());
  for (const RunRecord& record : records) {
    EXPECT_TRUE(record.result.Metric("train", "accuracy")) << record.at.Path();
  }
}

// A table does not have the commands by which runs of other programs are told apart.
TEST(RunsCsv, LeavesOutRunsOfOtherPrograms) {
  const TemporaryDirectory folder;
  FakeSweep fake(folder.path() / "out", {.losses = {"rec"}});
  fake.Add({.counts_errors = true});
  std::string text = WithoutChecks(FormatRunsCsv(ReadSweeps({fake.directory()}, fake.names())));
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
  const std::string text = FormatRunsCsv(ReadSweeps({fake.directory()}, fake.names()));
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
      WithoutChecks(FormatRunsCsv(ReadSweeps({fake.directory()}, fake.names())));
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
  EXPECT_NE(
      refusal("5010,2505,0.6,", "5010,2505,1.6,").find("'accuracy' is 1.6, not between 0 and 1"),
      std::string::npos);
  EXPECT_NE(refusal("5010,2505,0.6,0.8,", "5010,2505,0.6,-0.8,").find("none is negative"),
            std::string::npos);
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
