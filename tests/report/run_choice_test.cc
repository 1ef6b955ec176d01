// What pages and figures take from the files of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/report/report.h"
#include "flare/report/run_files.h"
#include "flare/runs/run.h"
#include "support/fake_sweep.h"
#include "support/page_document.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

TEST(TrainingCurves, KeepTheBestCheckpointAndTheLastWhenTheyAreThinned) {
  const TemporaryDirectory directory;
  FakeSweep study(directory.path() / "out", {.variants = {"rnn"}, .losses = {"rec"}});
  const FakeRun run;
  study.Add(run);
  std::string events;
  for (int epoch = 1; epoch <= 1000; ++epoch) {
    const bool best = epoch <= 4 || epoch == 500;
    events += R"({"event":"checkpoint","epoch":)" + std::to_string(epoch) + R"(,"is_best":)" +
              (best ? "true" : "false") +
              R"(,"validation":{"recognition_cross_entropy":0.5,"accuracy":0.75}})" + "\n";
  }
  WriteFile(study.RunPath(run) / "events.jsonl", events);
  WriteReport({study.directory()}, directory.path() / "report");
  const Json data =
      PageDocument(directory.path() / "report/data/languages-1.js", "language/parity");
  const Json& epochs = data["training"][0]["curve"]["epoch"];
  EXPECT_LT(epochs.size(), 200u);
  EXPECT_NE(std::find(epochs.begin(), epochs.end(), 500), epochs.end()) << epochs;
  EXPECT_EQ(epochs.back(), 1000);
}

// Records are thinned whenever they are written, also by a collection that adds nothing.
TEST(TrainingCurves, AreThinnedOnce) {
  for (const std::size_t checkpoints : {99, 100, 101, 102, 103, 199, 200, 201, 300, 1000}) {
    std::vector<CurvePoint> curve(checkpoints);
    curve[checkpoints / 3].checkpoint.is_best = true;
    const auto once = Thinned(curve, 100);
    EXPECT_LE(once.size(), 102u);
    EXPECT_EQ(Thinned(once, 100).size(), once.size()) << checkpoints;
  }
}

TEST(Figures, EveryArchitectureHasAColourOfItsOwn) {
  const TemporaryDirectory directory;
  FakeSweep study(directory.path() / "out", {.variants = {"gru", "mine", "rnn"},
                                             .losses = {"rec"},
                                             .externals = {{"mine", {"./mine"}, {}}}});
  for (const char* architecture : {"gru", "mine", "rnn"}) {
    FakeRun run;
    run.variant = architecture;
    run.validation = "long";
    study.Add(run);
    WriteFile(study.RunPath(run) / "events.jsonl",
              R"({"event":"checkpoint","epoch":1,"is_best":true,)"
              R"("validation":{"recognition_cross_entropy":0.5,"accuracy":0.75}})"
              "\n");
  }
  WriteReport({study.directory()}, directory.path() / "report");
  const std::string figure =
      ReadFile(directory.path() / "report/figures/training-curves/parity.tex");
  for (const char* color :
       {"red,237;green,44;blue,28", "red,107;green,37;blue,110", "red,33;green,110;blue,178"}) {
    EXPECT_THAT(figure, HasSubstr(color)) << color;
  }
}

TEST(HardExamples, StringsOfAnotherDatasetAreNotShown) {
  const TemporaryDirectory directory;
  FakeSweep study(directory.path() / "out", {});
  const FakeRun fake;
  study.Add(fake);
  fs::create_directories(study.RunPath(fake) / "eval");
  WriteFile(study.RunPath(fake) / "eval/test.jsonl",
            R"({"logit":1,"label":0,"length":2,"cross_entropy":1.3})"
            "\n"
            R"({"logit":2,"label":0,"length":1,"cross_entropy":2.1})"
            "\n");
  StudyRun run;
  run.path = study.RunPath(fake);
  RunFiles files;
  const auto hardest = ReadHardExamples(run, {"0 1", "1"}, files);
  ASSERT_EQ(hardest.size(), 2u);
  EXPECT_EQ(hardest[0].string, "1");
  EXPECT_EQ(hardest[1].string, "0 1");
  EXPECT_TRUE(ReadHardExamples(run, {"0 1", "1", "0"}, files).empty());
}

}  // namespace
}  // namespace flare::report
