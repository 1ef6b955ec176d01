#include "flare/runs/events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/version01.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

std::vector<CurvePoint> Curve(const std::string& events) {
  JsonReader reader;
  return ReadCurve(events, "events.jsonl", reader);
}

TEST(EventLog, ReplacesNothingOfOthers) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl", mine = directory.path() / "mine";
  WriteFile(file, "{\"event\": \"party\"}\n");
  EXPECT_NE(RefusalOf([&] { EventLog(file, 0); }).find("is not of a run of flare"),
            std::string::npos);
  EXPECT_EQ(ReadFile(file), "{\"event\": \"party\"}\n");
  fs::remove(file);
  EventLog(file, 0).Append(StartEvent{});
  const std::size_t size = fs::file_size(file);
  EventLog(file, 0);  // begins anew
  EXPECT_EQ(fs::file_size(file), 0u);
  EventLog(mine, 0).Append(StartEvent{});
  fs::remove(file);
  fs::create_symlink("mine", file);
  for (const std::size_t kept : {std::size_t{0}, size}) {
    EXPECT_NE(RefusalOf([&] { EventLog(file, kept); }).find("is a link"), std::string::npos);
  }
  EXPECT_EQ(fs::file_size(mine), size);
}

TEST(Curve, OfVersion01HasItsCheckpointsAndLosses) {
  const auto curve =
      Curve(ReadFile(Version01("sweep/runs/parity/lstm/rec+lm+ns/short/2000/1/events.jsonl")));
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_EQ(curve[0].loss, 1.1187710713909413);
  EXPECT_EQ(curve[1].checkpoint.epoch, 2u);
  EXPECT_EQ(curve[1].checkpoint.examples, 120u);
  EXPECT_EQ(curve[1].checkpoint.learning_rate, 0.008751045226715432);
  EXPECT_FALSE(curve[1].checkpoint.is_best);
  EXPECT_EQ(curve[2].loss, 1.0968652393371556);
  EXPECT_TRUE(curve[2].checkpoint.is_best);
  EXPECT_EQ(curve[2].checkpoint.cross_entropy, 0.6760050385393355);
  EXPECT_EQ(curve[2].checkpoint.accuracy, 0.7);
}

TEST(Curve, IsReadAsTheLogWroteIt) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "events.jsonl";
  EventLog log(file, 0);
  log.Append(StartEvent{});
  // A checkpoint within the first epoch has no loss yet.
  log.Append(CheckpointEvent{1, 50, 0.25, true, 0.5, 0.75});
  EpochEvent epoch;
  epoch.loss = 1.0 / 3;
  epoch.term_losses = {{"lm", 0.125}, {"next_symbol", std::nullopt}};
  log.Append(epoch);
  log.Append(CheckpointEvent{2, 100, 0.125, false, std::nan(""), 0.5});
  log.Append(EvaluationEvent{"test", 0.5, 0.5, 1});
  log.Append(FinishEvent{"finished", "epoch limit", 1, std::nullopt});
  const std::string text = ReadFile(file);
  EXPECT_EQ(log.size(), text.size());
  EXPECT_NE(text.find(R"("lm_loss":0.125,"next_symbol_loss":null)"), std::string::npos) << text;
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
  EventLog log(file, 18);
  log.Append(FinishEvent{"finished", "", 0, std::nullopt});
  const std::string text = ReadFile(file);
  EXPECT_TRUE(text.starts_with("{\"event\":\"start\"}\n{\"event\":\"finish\",")) << text;
  EXPECT_EQ(RefusalOf([&] { EventLog(file, 1000); })
                .find(file.string() + ": has " + std::to_string(text.size()) +
                      " bytes, but the checkpoint was made with 1000"),
            0u);
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
