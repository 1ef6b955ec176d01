// Reports of whole trials: what a trial that is only partly done cannot change.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "flare/base/file.h"
#include "flare/report/report.h"
#include "flare/report/study.h"
#include "flare/runs/events.h"
#include "support/csv_rows.h"
#include "support/fake_sweep.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const FakeRun kLast = {.variant = "lstm", .validation = "long"};

FakeGrid GridOfThree() { return {.variants = {"rnn", "lstm"}, .losses = {"rec"}, .trials = 3}; }

void AddTrial(std::size_t trial, double test, bool with_last, FakeSweep& fake) {
  for (const char* variant : {"rnn", "lstm"}) {
    for (const char* validation : {"short", "long"}) {
      const bool is_last = variant == kLast.variant && validation == kLast.validation;
      if (is_last && !with_last) continue;
      const FakeRun run{.variant = variant, .validation = validation, .trial = trial, .test = test};
      fake.Add(run);
      EventLog log(fake.RunPath(run) / "events.jsonl");
      log.Append(StartEvent{.parameters = 1, .all_parameters = 1, .examples = 1});
      log.Append(CheckpointEvent{.epoch = 1, .is_best = true, .cross_entropy = 0.5});
    }
  }
}

std::map<std::string, std::string> FilesBelow(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder)] = ReadFile(entry.path());
    }
  }
  return files;
}

TEST(WholeTrials, PartialTrialIsNotShown) {
  const TemporaryDirectory directory;
  FakeSweep whole(directory.path() / "whole", GridOfThree());
  FakeSweep more(directory.path() / "more", GridOfThree());
  for (FakeSweep* fake : {&whole, &more}) {
    AddTrial(1, 0.5, true, *fake);
    AddTrial(3, 0.75, true, *fake);
  }
  // The best of all, of which three of four are there.
  AddTrial(2, 1, false, more);
  const ReportOptions options{.whole_trials = true};
  const auto plain = WriteReport({whole.directory()}, directory.path() / "a", options);
  const auto partial = WriteReport({more.directory()}, directory.path() / "b", options);
  EXPECT_EQ(partial.Text(),
            "11 of 12 runs finished, 3 of them left out, of trials that are not whole");
  EXPECT_EQ(plain.Text(), "8 of 12 runs finished");
  // The page's lists of runs name their directories, and those that were left out.
  const fs::path data = "data/languages-1.js";
  EXPECT_EQ(ReadFile(directory.path() / "a" / data), ReadFile(directory.path() / "b" / data));
  EXPECT_THAT(ReadFile(directory.path() / "b/data/runs-1.js"), HasSubstr("left out"));
  for (const char* folder : {"tables", "figures"}) {
    EXPECT_EQ(FilesBelow(directory.path() / "a" / folder),
              FilesBelow(directory.path() / "b" / folder))
        << folder;
  }
  const std::string main = ReadFile(directory.path() / "b/tables/main.md");
  EXPECT_THAT(main, HasSubstr("| 0.62 ± 0.12 (2/3)"));
  for (const char* table : {"main", "cost", "full/parity"}) {
    const std::string text = ReadFile(directory.path() / "b/tables" / (table + std::string(".md")));
    EXPECT_TRUE(
        text.ends_with("\nOnly trials that are done at every point of the grid count: 2 of 3.\n"))
        << text;
  }
  // The rows of all runs are there for those who want them, and say which were left out.
  const auto rows = [&](const char* report) {
    return CsvRows(ReadFile(directory.path() / report / "runs.csv"));
  };
  WriteReport({more.directory()}, directory.path() / "c");
  const auto counted = rows("b"), all = rows("c");
  ASSERT_EQ(counted.size(), all.size());
  std::size_t left_out = 0;
  std::set<std::string> trials;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_left_out = counted[i].at("left_out") == "1";
    left_out += is_left_out ? 1 : 0;
    if (is_left_out) trials.insert(all[i].at("trial"));
    EXPECT_EQ(all[i].at("left_out"), "");
    for (const auto& [column, text] : all[i]) {
      if (column != "left_out") EXPECT_EQ(counted[i].at(column), text);
    }
  }
  EXPECT_GT(left_out, 0u);
  EXPECT_EQ(trials.size(), 1u);  // of three, two are whole
  EXPECT_THAT(ReadFile(directory.path() / "c/tables/main.md"), HasSubstr("0.75 ± 0.20"));
}

TEST(WholeTrials, BeforeThereIsOneAllRunsCount) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", GridOfThree());
  AddTrial(1, 0.5, false, fake);
  Study study = ReadStudy({fake.directory()});
  MarkPartialTrials(study);
  DropLeftOut(study);
  EXPECT_EQ(study.LeftOut(), 0u);
  EXPECT_EQ(study.note, "No trial is done at every point of the grid yet: all runs count.");
  EXPECT_EQ(study.Count(RunState::kFinished), 3u);
}

TEST(WholeTrials, OnceAllAreWholeNothingIsSaid) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", GridOfThree());
  for (const std::size_t trial : {1, 2, 3}) AddTrial(trial, 0.5, true, fake);
  Study study = ReadStudy({fake.directory()});
  MarkPartialTrials(study);
  DropLeftOut(study);
  EXPECT_EQ(study.note, "");
  EXPECT_EQ(study.Count(RunState::kFinished), 12u);
}

// Trials of one grid say nothing about those of another.
TEST(WholeTrials, AreThoseOfOneSweep) {
  const TemporaryDirectory directory;
  const FakeSweep a(directory.path() / "a", GridOfThree()),
      b(directory.path() / "b", GridOfThree());
  EXPECT_EQ(RefusalOf([&] {
              WriteReport({a.directory(), b.directory()}, directory.path() / "report",
                          {.whole_trials = true});
            }),
            "--whole-trials: takes one sweep, not 2; flare sweep collect merges several of one "
            "grid");
  EXPECT_FALSE(fs::exists(directory.path() / "report"));
}

// A run that diverged without a score has ended, one that failed has not; and a report that follows
// a sweep ends although there are runs that it does not show.
TEST(WholeTrials, KnowWhichRunsHaveEnded) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", GridOfThree());
  for (const std::size_t trial : {1, 2, 3}) AddTrial(trial, 0.5, false, fake);
  FakeRun last = kLast;
  last.diverged = true;
  last.has_metrics = false;
  fake.Add(last);
  last.trial = 2;
  fake.Add(last);
  last.trial = 3;
  fake.AddFailure(last, "out of memory");
  const auto summary =
      WriteReport({fake.directory()}, directory.path() / "report", {.whole_trials = true});
  EXPECT_EQ(summary.finished, 6u);
  EXPECT_EQ(summary.diverged, 2u);
  EXPECT_EQ(summary.left_out, 3u);
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_TRUE(summary.IsOver());
}

}  // namespace
}  // namespace flare::report
