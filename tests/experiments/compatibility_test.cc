// What version 0.1 left on disk (tests/fixtures/0.1) is read, reported and, where the arithmetic
// did not change, resumed.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/shell.h"

namespace flare {
namespace {
namespace fs = std::filesystem;

// A copy of the fixtures, since programs may tidy what they open.
class MadeByVersion01 : public testing::Test {
 protected:
  MadeByVersion01() {
    fs::copy(fs::path(FLARE_SOURCE_DIR) / "tests/fixtures/0.1", folder_.path(),
             fs::copy_options::recursive);
  }

  ShellResult Flare(const std::string& arguments) {
    return RunShell(std::string(FLARE_BINARY) + " " + arguments, folder_.path());
  }

  // As the fixture was made.
  ShellResult GoOn(const std::string& architecture) {
    const bool transformer = architecture == "transformer";
    return Flare(
        "train --data data/parity --loss rec --validation short --layers 1 --hidden 8 "
        "--seed 7 --stopping-patience 1000 --learning-rate-patience 1000 "
        "--learning-rate 0.001 --architecture " +
        architecture + " --run unfinished-" + architecture +
        (transformer ? " --max-epochs 400 --checkpoint-examples 1200 --batch-tokens 1024"
                     : " --max-epochs 60 --checkpoint-examples 60 --batch-tokens 128"));
  }

  Json Result(const std::string& run) {
    return Json::parse(ReadFile(folder_.path() / run / "result.json"));
  }

  TemporaryDirectory folder_;
};

TEST_F(MadeByVersion01, TransformersGoOnToTheSameBits) {
  const ShellResult end = GoOn("transformer");
  ASSERT_EQ(end.exit_code, 0) << end.output;
  const Json whole = Result("finished-transformer"), resumed = Result("unfinished-transformer");
  EXPECT_EQ(resumed["model_sha256"], whole["model_sha256"]);
  // What 0.1 measured; it did not ask which wrong answers have the format.
  for (const auto& [split, metrics] : whole["splits"].items()) {
    for (const auto& [metric, value] : metrics.items()) {
      EXPECT_EQ(resumed["splits"][split][metric], value) << split << " " << metric;
    }
  }
}

TEST_F(MadeByVersion01, RecurrentRunsAreNotMixedWithAnotherArithmetic) {
  const ShellResult end = GoOn("rnn");
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_NE(end.output.find("was begun with the arithmetic of version 0.1"), std::string::npos)
      << end.output;
}

TEST_F(MadeByVersion01, SweepsAreCountedAndReportedWhole) {
  const ShellResult status = Flare("sweep status --json sweep");
  ASSERT_EQ(status.exit_code, 0) << status.output;
  EXPECT_EQ(Json::parse(status.output)["finished"], 12);
  const ShellResult report = Flare("report sweep --to report");
  ASSERT_EQ(report.exit_code, 0) << report.output;
  EXPECT_NE(report.output.find("12 of 12 runs finished"), std::string::npos) << report.output;
}

TEST_F(MadeByVersion01, ModelsAnswerAsTheyDidWithinRounding) {
  for (const char* architecture : {"rnn", "lstm", "transformer"}) {
    const std::string run = std::string("sweep/runs/parity/") + architecture + "/rec/short/2000/1";
    const ShellResult evaluated = Flare("evaluate " + run + " --data data/parity --json");
    ASSERT_EQ(evaluated.exit_code, 0) << evaluated.output;
    const Json then = Result(run)["splits"], now = Json::parse(evaluated.output);
    for (const auto& [split, metrics] : then.items()) {
      ASSERT_TRUE(now.contains(split)) << split;
      EXPECT_NEAR(now[split]["recognition_cross_entropy"].get<double>(),
                  metrics["recognition_cross_entropy"].get<double>(), 1e-5)
          << architecture << " " << split;
    }
  }
}

}  // namespace
}  // namespace flare
