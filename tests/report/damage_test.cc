// A damaged file stays with its run: it is named, and everything else is reported.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/integrity.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class Damage : public testing::Test {
 protected:
  Damage() {
    WritePlausibleSweep(out_, {.variants = {"rnn"}, .losses = {"rec"}, .validations = {"long"}},
                        false);
  }

  fs::path Run(int trial) const {
    return out_ / "runs/parity/rnn/rec/long/64000" / std::to_string(trial);
  }
  ReportSummary Report() { return WriteReport({out_}, folder_.path() / "report"); }

  TemporaryDirectory folder_;
  fs::path out_ = folder_.path() / "out";
};

TEST_F(Damage, RunWithADamagedResultOrConfigIsLeftOut) {
  for (const char* file : {"result.json", "config.json"}) {
    const std::string whole = ReadFile(Run(1) / file);
    WriteFile(Run(1) / file, whole.substr(0, whole.size() / 2));
    const ReportSummary summary = Report();
    EXPECT_EQ(summary.Text(), "1 of 2 runs finished; 1 damaged");
    EXPECT_THAT(summary.damaged_runs.at(0), HasSubstr(file));
    WriteFile(Run(1) / file, whole);
  }
  EXPECT_EQ(Report().Text(), "2 of 2 runs finished");
}

TEST_F(Damage, DamagedFileBesideTheResultIsNamed) {
  // The files of eval are the same for both runs.
  for (const auto& [file, damaged] :
       {std::pair{"events.jsonl", 1}, std::pair{"eval/test.json", 2},
        std::pair{"eval/hardest.json", 1}, std::pair{"eval/test-edit-distance.jsonl", 2}}) {
    const std::string whole = ReadFile(Run(1) / file);
    WriteFile(Run(1) / file, "{\"nonsense\n" + whole);
    const ReportSummary summary = Report();
    EXPECT_EQ(summary.finished, 2u) << file;
    EXPECT_LE(1u, summary.damaged_runs.size()) << file;
    EXPECT_GE(static_cast<std::size_t>(damaged), summary.damaged_runs.size()) << file;
    if (!summary.damaged_runs.empty()) {
      EXPECT_THAT(summary.damaged_runs[0], HasSubstr(file));
    }
    WriteFile(Run(1) / file, whole);
  }
}

TEST_F(Damage, WrongBitInTheEventsIsNamed) {
  std::string events = ReadFile(Run(1) / "events.jsonl");
  const std::size_t digit = events.find("\"accuracy\":0.") + 13;
  events[digit] = static_cast<char>(events[digit] ^ 1);
  WriteFile(Run(1) / "events.jsonl", events);
  EXPECT_EQ(Report().Text(), "2 of 2 runs finished; 1 damaged");
}

TEST_F(Damage, DamagedBaselinesAndDataAreLeftOut) {
  WriteFile(out_ / "baselines/parity.json", "{\"splits\": 7");
  fs::create_directories(out_ / "data/parity");
  WriteFile(out_ / "data/parity/manifest.json", "nonsense");
  const ReportSummary summary = Report();
  EXPECT_EQ(summary.Text(),
            "2 of 2 runs finished; 1 file of baselines damaged; 1 manifest damaged");
  EXPECT_THAT(summary.damaged_manifests.at(0), HasSubstr("parity/manifest.json"));
  EXPECT_THAT(summary.damaged_baselines.at(0), HasSubstr("parity.json"));
}

// A sweep of version 0.1 does not say of what data it is, but its runs do.
TEST_F(Damage, BaselinesOfOtherDataThanTheRunsAreLeftOut) {
  Json study = Json::parse(WithoutCheck(ReadFile(out_ / "sweep.json")));
  study.erase("data_sha256");
  study.erase("data_of_recipe");
  WriteFile(out_ / "sweep.json", JsonText(study));
  const fs::path file = out_ / "baselines/parity.json";
  Json baselines = {{"dataset", "parity"}, {"splits", {{"test", {{"majority", 0.5}}}}}};
  fs::create_directories(file.parent_path());
  WriteFile(file, baselines.dump());
  EXPECT_EQ(Report().Text(), "2 of 2 runs finished");
  baselines["data_sha256"] = std::string(64, '7');
  WriteFile(file, baselines.dump());
  const ReportSummary summary = Report();
  EXPECT_EQ(summary.Text(), "2 of 2 runs finished; 1 file of baselines damaged");
  EXPECT_THAT(summary.damaged_baselines.at(0), HasSubstr("is of other data than the runs"));
}

TEST_F(Damage, UnreadableDirectoryAffectsOnlyItsRun) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(Run(1), fs::perms::none);
  const ReportSummary summary = Report();
  fs::permissions(Run(1), fs::perms::owner_all);
  EXPECT_EQ(summary.Text(), "1 of 2 runs finished; 1 damaged");
}

}  // namespace
}  // namespace flare::report
