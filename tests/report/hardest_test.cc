// Which examples a run finds hardest.

#include "flare/report/hardest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flare/base/file.h"
#include "support/shell.h"

namespace flare::report {
namespace {

class HardestTest : public testing::Test {
 protected:
  HardestTest() {
    run_.directory = directory_.path();
    MakeDirectories(directory_.path() / "eval");
    for (int i = 0; i < 12; ++i) strings_.push_back("string " + std::to_string(i));
  }

  // Example i of test.jsonl has the i-th of these as its cross-entropy.
  void WriteScores(const std::vector<std::string>& cross_entropies) {
    std::string lines;
    for (const std::string& cross_entropy : cross_entropies) {
      lines +=
          R"({"label": 1, "length": 3, "logit": 0.5, "cross_entropy": )" + cross_entropy + "}\n";
    }
    WriteFile(directory_.path() / "eval" / "test.jsonl", lines);
  }

  std::vector<std::string> Hardest() {
    RunFiles files;
    std::vector<std::string> texts;
    for (const HardExample& example : ReadHardExamples(run_, strings_, files)) {
      texts.push_back(example.string);
    }
    return texts;
  }

  TemporaryDirectory directory_;
  report::Run run_;
  std::vector<std::string> strings_;
};

TEST_F(HardestTest, AreTheTenWithTheHighestCrossEntropy) {
  WriteScores(
      {"0.1", "1.2", "0.3", "1.2", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.2", "0.05"});
  EXPECT_EQ(Hardest(), (std::vector<std::string>{"string 1", "string 3", "string 9", "string 8",
                                                 "string 7", "string 6", "string 5", "string 4",
                                                 "string 2", "string 10"}));
}

TEST_F(HardestTest, ScoresThatAreNoNumbersComeFirst) {
  strings_.resize(4);
  WriteScores({"3.0", "null", "5.0", "0.1"});
  EXPECT_EQ(Hardest(), (std::vector<std::string>{"string 1", "string 2", "string 0", "string 3"}));
}

TEST_F(HardestTest, NoneWithoutScoresOrForOtherStrings) {
  EXPECT_EQ(Hardest(), std::vector<std::string>{});
  WriteScores({"0.1", "0.2"});
  EXPECT_EQ(Hardest(), std::vector<std::string>{});
}

TEST_F(HardestTest, TheRunsOwnListHasPrecedence) {
  WriteScores(std::vector<std::string>(12, "0.1"));
  WriteFile(directory_.path() / "eval" / "hardest.json",
            R"({"examples": [{"index": 7, "string": "a b", "label": 0, "logit": null,)"
            R"("prefix_probabilities": [0.5, null]}]})");
  EXPECT_EQ(Hardest(), std::vector<std::string>{"a b"});
}

}  // namespace
}  // namespace flare::report
