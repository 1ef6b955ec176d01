#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/page_document.h"
#include "support/paths.h"
#include "support/shell.h"
#include "support/version02.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

TEST(Watch, FollowsASweepUntilItIsDone) {
  const TemporaryDirectory directory;
  const fs::path to = directory.path() / "report";
  FakeSweep study(directory.path() / "out",
                  {.variants = {"rnn"}, .losses = {"rec"}, .validations = {"short"}});
  FakeRun run;
  std::vector<std::string> told, tables;
  std::vector<Json> overviews;
  WatchReport({study.directory()}, to, 1, {}, [&](const ReportSummary& summary) {
    told.push_back(summary.Text());
    tables.push_back(ReadFile(to / "tables" / "main.md"));
    overviews.push_back(PageDocument(to / "data" / "overview-1.js", "overview"));
    // What a worker does between two looks.
    if (told.size() == 1) {
      study.AddRunning(run);
    } else if (told.size() == 2) {
      run.trial = 2;
      study.AddFailure(run, "killed");
    } else if (told.size() == 3) {
      fs::remove(study.RunPath(run) / "failure.json");
      study.Add(run);
    } else if (told.size() == 4) {
      run.trial = 1;
      fs::remove(study.RunPath(run) / "lock");
      study.Add(run);
    }
  });
  EXPECT_EQ(told,
            (std::vector<std::string>{"0 of 2 runs finished", "0 of 2 runs finished; 1 running",
                                      "0 of 2 runs finished; 1 failed; 1 running",
                                      "1 of 2 runs finished; 1 running", "2 of 2 runs finished"}));
  EXPECT_THAT(tables[3], HasSubstr("| 0.50 (1/2)"));
  EXPECT_THAT(tables[4], HasSubstr("| 0.50 ± 0.00 (n = 2) ·"));
  EXPECT_EQ(overviews[0]["refresh"], 1);
  EXPECT_EQ(overviews[4]["refresh"], 0);
}

// Records are a file per language, to which others add.
TEST(Watch, SeesWhatIsAddedToRecords) {
  const TemporaryDirectory directory;
  const fs::path whole = directory.path() / "whole", part = directory.path() / "part";
  fs::copy(Version02("twelve/sweep"), whole, fs::copy_options::recursive);
  fs::copy(whole, part, fs::copy_options::recursive);
  fs::remove_all(part / "runs/parity/rnn");
  const auto collect = [&](const std::string& from) {
    const auto result =
        RunShell(FlareProgram() + " sweep collect " + from + " --to records", directory.path());
    ASSERT_EQ(result.exit_code, 0) << result.output;
  };
  collect("part");
  std::vector<std::string> told;
  WatchReport({directory.path() / "records"}, directory.path() / "report", 1, {},
              [&](const ReportSummary& summary) {
                told.push_back(summary.Text());
                collect("whole");
              });
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told.front(), told.back());
}

// Nothing more will come by itself.
TEST(Watch, EndsWhenOnlyFailedAndDamagedRunsAreLeft) {
  const TemporaryDirectory directory;
  FakeSweep study(directory.path() / "out",
                  {.variants = {"rnn"}, .losses = {"rec"}, .validations = {"short"}});
  FakeRun run;
  study.AddFailure(run, "killed");
  run.trial = 2;
  study.Add(run);
  WriteFile(study.RunPath(run) / "result.json", "nonsense");
  std::vector<std::string> told;
  WatchReport({study.directory()}, directory.path() / "report", 1, {},
              [&](const ReportSummary& summary) { told.push_back(summary.Text()); });
  EXPECT_EQ(told, std::vector<std::string>{"0 of 2 runs finished; 1 failed; 1 damaged"});
}

TEST(Watch, ThrowsAFaultThatStays) {
  const TemporaryDirectory directory;
  FakeSweep study(directory.path() / "out", {});
  FakeRun run;
  study.Add(run);
  WriteFileAtomically(study.directory() / "sweep.json", "nonsense");
  EXPECT_THROW(WatchReport({study.directory()}, directory.path() / "report", 1, {},
                           [](const ReportSummary&) {}),
               InputError);
}

}  // namespace
}  // namespace flare::report
