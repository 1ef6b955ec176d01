#include "flare/runs/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<CurvePoint> Curve(const std::string& events) {
  JsonReader reader;
  return ReadCurve(events, "events.jsonl", reader);
}

TEST(EventLog, WritesThroughNoLink) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl", mine = directory.path() / "mine";
  WriteFile(mine, "mine");
  fs::create_symlink("mine", file);
  EXPECT_THAT(RefusalOf([&] { EventLog log(file); }), HasSubstr("is a link"));
  EXPECT_EQ(ReadFile(mine), "mine");
}

TEST(Curve, IsReadAsTheLogWroteIt) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  EventLog log(file);
  log.Append(StartEvent{});
  // A checkpoint within the first epoch has no loss yet.
  log.Append(CheckpointEvent{1, 50, 0.25, true, 0.5, 0.75});
  EpochEvent epoch;
  epoch.loss = 1.0 / 3;
  epoch.term_losses = {{"lm", 0.125}, {"next_symbol", std::nullopt}};
  log.Append(epoch);
  log.Append(CheckpointEvent{2, 100, 0.125, false, std::nan(""), 0.5});
  log.Append(EvaluationEvent{"test", {{"accuracy", 0.5}, {"recognition_cross_entropy", 0.5}}, 1});
  log.Append(FinishEvent{"finished", "epoch limit", 1, std::nullopt});
  const std::string text = ReadFile(file);
  EXPECT_EQ(log.written().size, text.size());
  EXPECT_THAT(text, HasSubstr(R"("lm_loss":0.125,"next_symbol_loss":null)"));
  const auto curve = Curve(text);
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_TRUE(std::isnan(curve[0].loss));
  EXPECT_EQ(curve[0].checkpoint.learning_rate, 0.25);
  EXPECT_EQ(curve[1].loss, 1.0 / 3);
  EXPECT_TRUE(std::isnan(curve[1].checkpoint.cross_entropy));
}

TEST(EventLog, KeepsWhatTheCheckpointKnowsAndNoMore) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  WriteFile(file, "{\"event\":\"start\"}\n{\"event\":\"epoch\"}\n");
  EventLog log(file, ReadEvents(file, {18, ""}));
  log.Append(FinishEvent{"finished", "", 0, std::nullopt});
  const std::string text = ReadFile(file);
  EXPECT_TRUE(text.starts_with("{\"event\":\"start\"}\n{\"event\":\"finish\",")) << text;
  EXPECT_EQ(log.written().size, text.size());
  EXPECT_EQ(log.written().sha256, Sha256(text));
  EXPECT_THAT(RefusalOf([&] {
                ReadEvents(file, {1000, ""});
              }),
              HasSubstr(": has " + std::to_string(text.size()) +
                        " bytes, but the checkpoint was made with 1000"));
  EXPECT_THAT(RefusalOf([&] { ReadEvents(file, {5, ""}); }), HasSubstr("its beginning differs"));
}

TEST(Curve, FaultsNameTheLineAndALineInTheMakingIsNone) {
  const auto refusal = [](const std::string& events) { return RefusalOf([&] { Curve(events); }); };
  EXPECT_EQ(refusal("{\"event\": \"start\"}\n{\"event\": 1}\n"),
            "events.jsonl:2: 'event' is '1', not a string");
  EXPECT_TRUE(refusal("{\"event\": \"start\"}\nnone\n").starts_with("events.jsonl:2: is not JSON"));
  EXPECT_EQ(refusal("{\"event\": \"checkpoint\", \"epoch\": 1}\n"),
            "events.jsonl:1: 'validation' is missing");
  EXPECT_EQ(refusal("{\"event\": \"start\"}\n{\"eve"), "");
}

}  // namespace
}  // namespace flare
