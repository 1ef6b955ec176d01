#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "flare/base/file.h"
#include "flare/runs/records.h"
#include "flare/runs/run_directory.h"
#include "support/refusal.h"
#include "support/version02.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

Run ParseRecord(const std::string& line) {
  JsonReader reader;
  const std::string text = line.substr(0, line.size() - 1);
  return RecordFromLine(text, "parity.jsonl:1", reader);
}

std::string Difference(const flare::Run& one, const flare::Run& other) {
  return OutcomeDifference(one, other);
}

// As large as runs of the paper's grid get: every term, every split, a thousand epochs.
Run LargeRecord() {
  flare::Run record{.config = RunConfig(), .result = RunResult()};
  record.at = {"modular-arithmetic-simple", "transformer", "rec+lm+ns", "short", 64'000, 10};
  RunSettings& settings = record.config->settings;
  settings = ParseSettings({{"architecture", "transformer"},
                            {"loss", "rec+lm+ns"},
                            {"validation", "validation-short"},
                            {"seed", "17999999999999999999"},
                            {"hidden", "32"},
                            {"learning_rate", "0.0039033902836730187"},
                            {"batch_tokens", "1187"},
                            {"lm_coefficient", "0.0139033902836730187"},
                            {"ns_coefficient", "0.0239033902836730187"}},
                           "test");
  settings.arithmetic = "0.1";
  settings.drawn = {"learning_rate", "batch_tokens", "lm_coefficient", "ns_coefficient"};
  record.config->data = {"/data",
                         "modular-arithmetic-simple",
                         {"0", "1", "2", "3", "4", "+", "-", "*", "="},
                         {{"main.tok", std::string(64, 'a')}}};
  record.config->data = record.config->data.ByHash();
  RunResult& result = *record.result;
  result.stop_reason = "no improvement";
  result.epochs = 1000;
  result.steps = 123'456;
  result.best = {990, 1.0 / 3, 2.0 / 3};
  result.parameters = 63'438;
  result.seconds = 12'345.678912;
  result.cpu_seconds = 12'345.678912;
  result.training_seconds = 11'345.678912;
  result.examples_per_second = 848.3055510912278;
  result.model_sha256 = std::string(64, 'b');
  for (const char* split : {"train", "validation-short", "validation-long", "test",
                            "test-short-held-out", "test-edit-distance"}) {
    SplitMetrics metrics;
    metrics.examples = 10'000;
    metrics.positives = 4'999;
    metrics.accuracy = 2.0 / 3;
    metrics.recognition_cross_entropy = 1.0 / 3;
    metrics.terms = {{.key = "lm", .cross_entropy = 1.0 / 7},
                     {.key = "next_symbol",
                      .cross_entropy = 1.0 / 7,
                      .measures_accuracy = true,
                      .positions = 1.0 / 7,
                      .strings = 1.0 / 7}};
    metrics.false_positives = 1'234;
    metrics.false_negatives = 2'345;
    metrics.f1 = 1.0 / 3;
    metrics.auc = 1.0 / 3;
    metrics.longest_perfect_length = 123;
    result.splits.emplace_back(split, metrics);
  }
  RunCurves curves;
  for (std::size_t n = 0; n <= 500; n += 10) {
    curves.lengths.push_back({n, 211, 2.0 / 3, 1.0 / 3, 0.1 / 3});
  }
  for (std::size_t i = 0; i < 50; ++i) {
    curves.edits.push_back({.length = 400 + i,
                            .cross_entropy = 1.0 / 3,
                            .of_terms = {},
                            .edit_distance = 100 + i,
                            .num_edits = {}});
  }
  for (std::size_t i = 1; i <= 1000; ++i) {
    curves.training.push_back(
        {{.epoch = i, .is_best = i == 990, .cross_entropy = 1.0 / 3, .accuracy = 2.0 / 3},
         1.0 / 7});
  }
  record.curves = [curves = std::move(curves)] { return curves; };
  return record;
}

TEST(Record, LargestRunTakesAtMost6000Bytes) {
  const std::string line = RecordLine(LargeRecord());
  EXPECT_LE(line.size(), kMostRecordBytes) << line;
  EXPECT_GE(ParseRecord(line).curves().training.size(), 12u);
}

TEST(Record, ReadBackIsWhatWasWritten) {
  const flare::Run before = LargeRecord();
  const std::string line = RecordLine(before);
  const flare::Run after = ParseRecord(line);
  EXPECT_EQ(after.at, before.at);
  EXPECT_EQ(ConfigDifference(*after.config, *before.config), "");
  EXPECT_EQ(after.config->settings.drawn, before.config->settings.drawn);
  EXPECT_EQ(after.config->data.Sha256OfAll(), before.config->data.Sha256OfAll());
  EXPECT_EQ(after.result->model_sha256, before.result->model_sha256);
  EXPECT_NEAR(*after.result->Metric("test", "accuracy"), 2.0 / 3, 1e-7);
  EXPECT_EQ(after.curves().lengths.size(), 51u);
  EXPECT_NEAR(after.curves().lengths[7].cross_entropy, 1.0 / 3, 5e-5);
  EXPECT_EQ(after.curves().edits.size(), 50u);
  EXPECT_EQ(after.curves().edits[3].edit_distance, 103u);
  EXPECT_EQ(after.curves().edits[3].length, 403u);
  EXPECT_EQ(Difference(before, after), "");
}

// Collecting a record again must not change a byte of it.
TEST(Record, WrittenAgainIsTheSameLine) {
  const std::string line = RecordLine(LargeRecord());
  EXPECT_EQ(RecordLine(ParseRecord(line)), line);
}

TEST(Record, ThinningKeepsTheBestAndTheLastPoint) {
  const flare::Run record = ParseRecord(RecordLine(LargeRecord()));
  const auto training = record.curves().training;
  EXPECT_EQ(training.back().checkpoint.epoch, 1000u);
  std::size_t best = 0;
  for (const CurvePoint& point : training) best += point.checkpoint.is_best ? 1 : 0;
  EXPECT_EQ(best, 1u);
}

// Any one flipped bit is noticed: by the hash, or because the line is no longer JSON.
TEST(Record, EveryFlippedBitIsNoticed) {
  const std::string line = RecordLine(LargeRecord());
  for (std::size_t at = 0; at + 1 < line.size(); at += 7) {
    std::string damaged = line;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 7)));
    EXPECT_NE(RefusalOf([&] { ParseRecord(damaged); }), "") << at << ": " << damaged[at];
  }
}

TEST(Record, RunsOfVersion02CanBeRecorded) {
  std::size_t records = 0;
  JsonReader reader;
  for (const auto& entry : fs::recursive_directory_iterator(Version02("twelve"))) {
    if (entry.path().filename() != "result.json") continue;
    const RunDirectory run(entry.path().parent_path());
    // The names of these tests know no options, which transformers have.
    if (entry.path().string().find("transformer") != std::string::npos) continue;
    flare::Run finished = ReadRun(run.path());
    ASSERT_TRUE(finished.result) << finished.fault;
    finished.at = {"parity", "rnn", "rec", "short", 1000, 1};
    const flare::Run record = RecordOf(finished, reader);
    const std::string line = RecordLine(record);
    EXPECT_LE(line.size(), kMostRecordBytes);
    EXPECT_EQ(RecordLine(ParseRecord(line)), line);
    ++records;
  }
  EXPECT_GE(records, 5u);
}

TEST(Record, TwoModelsAreNotTheSameRun) {
  const flare::Run one = LargeRecord();
  flare::Run other = one;
  other.result->seconds = 1;
  EXPECT_EQ(Difference(one, other), "");
  other.result->model_sha256 = std::string(64, 'c');
  EXPECT_NE(Difference(one, other), "");
  other = one;
  other.config->settings.learning_rate = 0.5;
  EXPECT_EQ(Difference(one, other), "learning_rate is 0.0039033902836730187, not 0.5");
}

// The same model may have been measured, or written down, wrongly.
TEST(Record, SameModelMustHaveTheSameScores) {
  const flare::Run one = LargeRecord();
  ASSERT_NE(one.result->model_sha256, "");
  flare::Run other = one;
  SplitMetrics& metrics = *other.result->splits.front().second;
  *metrics.accuracy *= 1 + 1e-12;  // other versions may round in another way
  EXPECT_EQ(Difference(one, other), "");
  *metrics.accuracy /= 2;
  EXPECT_THAT(Difference(one, other), HasSubstr("accuracy is "));
  // What only one has is no contradiction.
  other.result->splits.erase(other.result->splits.begin());
  EXPECT_EQ(Difference(one, other), "");
}

// External programs leave no model: what they are, and how they did, distinguishes their runs.
TEST(Record, TwoProgramsAreNotTheSameRun) {
  flare::Run one = LargeRecord();
  one.config->external = External{.name = "cnn", .command = {"python3", "a.py"}, .options = {}};
  one.result->model_sha256.clear();
  flare::Run other = one;
  EXPECT_EQ(Difference(one, other), "");
  other.config->external->command[1] = "b.py";
  EXPECT_THAT(Difference(one, other), HasSubstr("command"));
  other = one;
  *other.result->splits.front().second->accuracy /= 2;
  EXPECT_THAT(Difference(one, other), HasSubstr("accuracy"));
}

}  // namespace
}  // namespace flare
