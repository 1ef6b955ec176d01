// Which examples a run finds hardest.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/report/run_files.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

class HardestTest : public testing::Test {
 protected:
  HardestTest() {
    run_.path = directory_.path();
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
  StudyRun run_;
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

TEST_F(HardestTest, NoneAreShownWithoutScoresOrForOtherStrings) {
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

// Strings that lie where the test set was are those of the runs only if they are the same bytes.
TEST(TestStrings, AreThoseThatTheRunsHad) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {});
  const fs::path file = fake.directory() / "data/parity/datasets/test/main.tok";
  MakeDirectories(file.parent_path());
  WriteFile(file, "0 1\n1 1\n");
  fake.Add({});
  const auto strings = [&] { return ReadTestStrings(ReadStudy({fake.directory()}), "parity"); };
  EXPECT_EQ(strings(), (std::vector<std::string>{"0 1", "1 1"}));
  WriteFile(file, "1 1\n0 1\n");
  EXPECT_TRUE(strings().empty());
  // Data that is none is not there; a pipe is not waited for.
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_TRUE(strings().empty());
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(strings().empty());
}

}  // namespace
}  // namespace flare::report
