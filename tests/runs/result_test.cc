#include "flare/runs/result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/version02.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

RunResult ParseResult(const std::string& text) {
  JsonReader reader;
  return ResultFromJson(reader.Parse(text, "result.json"));
}

TEST(Result, FileOfVersion02IsRewrittenWithAListOfFiles) {
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Version02("twelve"))) {
    if (entry.path().filename() != "result.json") continue;
    const std::string text = ReadFile(entry.path());
    Json there = Json::parse(text), again = ResultToJson(ParseResult(text));
    EXPECT_EQ(again["files"].size(), there["evaluation_files"].size() + there["run_files"].size());
    for (const char* member : {"evaluation_files", "run_files", "check"}) there.erase(member);
    again.erase("files");
    EXPECT_EQ(again["format"], 1);
    again.erase("format");
    EXPECT_EQ(JsonText(again), JsonText(there)) << entry.path();
    ++compared;
  }
  EXPECT_EQ(compared, 12u);
}

const char* const kShort = R"({"outcome": "finished", "stop_reason": "epoch limit", "epochs": 3,
  "best_epoch": 2, "best_validation": {"recognition_cross_entropy": 0.5, "accuracy": 0.75},
  "seconds": 1.5, "examples_per_second": 100,
  "splits": {"test": {"examples": 4, "positives": 2, "accuracy": 0.5,
    "recognition_cross_entropy": null, "next_symbol_cross_entropy": null,
    "next_symbol_accuracy": {"positions": 0.25, "strings": 0.125},
    "f1": null, "auc": null, "longest_perfect_length": -1}, "train": null}})";

std::string RefusalOfResult(const std::string& from, const std::string& to) {
  std::string text = kShort;
  text.replace(text.find(from), from.size(), to);
  return RefusalOf([&] { ParseResult(text); });
}

TEST(Result, HasTheScalarsOfEverySplit) {
  const RunResult result = ParseResult(kShort);
  EXPECT_EQ(result.outcome(), "finished");
  EXPECT_EQ(result.best->epoch, 2u);
  EXPECT_FALSE(result.cpu_seconds);
  EXPECT_EQ(result.Split("train"), nullptr);
  EXPECT_EQ(result.Split("validation-short"), nullptr);
  ASSERT_NE(result.Split("test"), nullptr);
  EXPECT_EQ(result.Metric("test", "accuracy"), 0.5);
  EXPECT_EQ(result.Metric("test", "next_symbol_accuracy_positions"), 0.25);
  EXPECT_EQ(result.Metric("test", "next_symbol_accuracy_strings"), 0.125);
  EXPECT_EQ(result.Metric("test", "longest_perfect_length"), -1);
  EXPECT_TRUE(std::isnan(*result.Split("test")->recognition_cross_entropy));
  for (const char* scalar : {"recognition_cross_entropy", "next_symbol_cross_entropy", "f1", "auc",
                             "next_symbol_accuracy", "colour"}) {
    EXPECT_EQ(result.Metric("test", scalar), std::nullopt) << scalar;
  }
  EXPECT_EQ(result.Metric("train", "accuracy"), std::nullopt);
}

TEST(Result, FaultsNameTheFileAndTheField) {
  EXPECT_EQ(RefusalOf([] { ParseResult("{"); }).substr(0, 24), "result.json: is not JSON");
  EXPECT_EQ(RefusalOf([] { ParseResult("3"); }), "result.json: expected an object");
  EXPECT_EQ(RefusalOfResult("\"finished\"", "3"), "result.json: 'outcome' is '3', not a string");
  EXPECT_EQ(RefusalOfResult("\"finished\"", "\"odd\""),
            "result.json: 'outcome' is 'odd', not finished or diverged");
  EXPECT_EQ(RefusalOfResult("\"epochs\": 3", "\"epochs\": \"3\""),
            "result.json: 'epochs' is '3', not a count");
  EXPECT_EQ(RefusalOfResult("\"epochs\": 3", "\"epochs\": -3"),
            "result.json: 'epochs' is '-3', not a count");
  EXPECT_EQ(RefusalOfResult("\"epochs\": 3,", ""), "result.json: 'epochs' is missing");
  EXPECT_EQ(RefusalOfResult("\"seconds\": 1.5", "\"seconds\": -1.5"),
            "result.json: 'seconds' is -1.5");
  EXPECT_EQ(RefusalOfResult("\"accuracy\": 0.5", "\"accuracy\": 1.5"),
            "result.json: 'accuracy' is 1.5, not between 0 and 1");
  EXPECT_EQ(RefusalOfResult("\"accuracy\": 0.5", "\"accuracy\": null"),
            "result.json: 'accuracy' is missing");
  EXPECT_EQ(RefusalOfResult("\"positions\": 0.25", "\"positions\": \"a\""),
            "result.json: 'positions' is 'a', not a number");
  EXPECT_EQ(RefusalOfResult("_length\": -1", "_length\": 1.5"),
            "result.json: 'longest_perfect_length' is '1.5', not a whole number");
}

}  // namespace
}  // namespace flare
