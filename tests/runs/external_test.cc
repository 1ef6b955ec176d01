#include "flare/runs/external.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/runs/events.h"
#include "flare/runs/grid.h"
#include "flare/runs/run_directory.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

std::string GridWith(const std::string& architectures) {
  return "languages = [\"parity\"]\narchitectures = [" + architectures +
         "]\nlosses = [\"rec\"]\nvalidations = [\"short\"]\nbudgets = [1000]\n";
}

Grid ParseWith(const std::string& architectures) {
  return ParseGrid(GridWith(architectures), "grid.toml");
}

std::string RefusalWith(const std::string& architectures) {
  return RefusalOf([&] { ParseWith(architectures); });
}

TEST(External, IsAnArchitectureOfItsOwnName) {
  const Grid grid =
      ParseWith("\"lstm\", {name = \"mine\", command = [\"./mine\", \"-x\"], width = [8, 16]}");
  ASSERT_EQ(grid.externals.size(), 1u);
  EXPECT_EQ(grid.externals[0], (External{"mine", {"./mine", "-x"}, {"width"}}));
  const auto runs = grid.Runs();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].Path(), "parity/mine,width=8/rec/short/1000/1");
  EXPECT_EQ(grid.variants[1].label, "mine, width=8");
  EXPECT_EQ(grid.SettingsOf(runs[1]).at("width"), "8");
  EXPECT_EQ(FindExternal(grid.externals, "lstm"), nullptr);
}

TEST(External, IsKeptBySweepJson) {
  const Grid grid = ParseWith("{name = \"mine\", command = [\"./mine\"], way = \"a b\"}");
  JsonReader reader;
  const Grid again = GridFromJson(reader.Parse(GridToJson(grid).dump(), "sweep.json"));
  EXPECT_EQ(again.externals, grid.externals);
  EXPECT_EQ(again.Runs(), grid.Runs());
}

TEST(External, IsKeptByConfigJson) {
  const External external{"mine", {"./mine"}, {"width"}};
  RunConfig config;
  config.settings = ParseSettings({{"architecture", "mine"},
                                   {"loss", "rec"},
                                   {"validation", "short"},
                                   {"batch_tokens", "256"},
                                   {"width", "8"}},
                                  "", {external});
  config.data.path = "/data";
  config.data.alphabet = {"0", "1"};
  config.external = external;
  JsonReader reader;
  const std::string text = ConfigToJson(config).dump();
  const RunConfig again = ConfigFromJson(reader.Parse(text, "config.json"));
  EXPECT_EQ(again.external, external);
  EXPECT_EQ(again.settings.options.at("width"), "8");
  EXPECT_EQ(again.settings.hidden, 0u);
  EXPECT_EQ(ConfigDifference(again, config), "");
  RunConfig other = config;
  other.external->command = {"./other"};
  EXPECT_NE(ConfigDifference(config, other), "");
}

// A model of ours without a size is damaged.
TEST(External, AloneMayHaveNoHiddenSize) {
  const std::string text =
      R"({"format": 1, "architecture": "lstm", "loss": "rec", "validation": "short", "seed": 1,
          "layers": 1, "hidden": null, "data": {"path": "/d", "language": "l", "alphabet": ["a"],
          "files": {}}})";
  JsonReader reader;
  EXPECT_THAT(RefusalOf([&] { ConfigFromJson(reader.Parse(text, "config.json")); }),
              HasSubstr("'hidden' is missing"));
}

TEST(External, RefusesWhatCannotBe) {
  EXPECT_THAT(RefusalWith("{name = \"lstm\", command = [\"x\"]}"), HasSubstr("is built in"));
  EXPECT_THAT(RefusalWith("{command = [\"x\"]}"), HasSubstr("a command needs a name"));
  EXPECT_THAT(RefusalWith("{name = \"x\", command = []}"), HasSubstr("has no command"));
  for (const std::string option : {"../x", "a=b", "", "a/b"}) {
    EXPECT_THAT(RefusalWith("{name = \"x\", command = [\"x\"], \"" + option + "\" = 1}"),
                HasSubstr("is not a name"))
        << option;
  }
  for (const std::string option : {"data", "check", "drawn", "format"}) {
    EXPECT_THAT(RefusalWith("{name = \"x\", command = [\"x\"], " + option + " = 1}"),
                HasSubstr("has a meaning in config.json"))
        << option;
  }
  EXPECT_THAT(RefusalWith("{name = \"x\", command = [\"x\"], a = \"b=c\"}"),
              HasSubstr("equals sign"));
  EXPECT_THAT(RefusalWith("{name = \"x\", command = [\"x\"]}, {name = \"x\", command = [\"y\"]}"),
              HasSubstr("is defined already"));
}

TEST(Summarize, TellsATrainingFromItsEvents) {
  const std::string training =
      R"({"event": "start", "time": "t", "parameters": 12}
{"event": "epoch", "time": "t", "epoch": 1, "examples": 10, "steps": 2, "seconds": 0.5, "loss": 1}
{"event": "checkpoint", "time": "t", "epoch": 1, "is_best": true, "validation": {"recognition_cross_entropy": 0.5, "accuracy": 0.75}}
{"event": "epoch", "time": "t", "epoch": 2, "examples": 10, "steps": 2, "seconds": 0.25, "loss": 1}
{"event": "checkpoint", "time": "t", "epoch": 2, "is_best": false, "validation": {"recognition_cross_entropy": 0.6, "accuracy": 0.75}}
{"event": "stop", "time": "t", "reason": "epoch limit", "seconds": 2}
)";
  const std::string evaluation = R"({"event": "evaluation", "time": "t"}
{"event": "finish", "time": "t"}
)";
  JsonReader reader;
  const TrainingSummary summary = Summarize(training + evaluation, "events.jsonl", reader);
  EXPECT_EQ(summary.parameters, 12u);
  EXPECT_EQ(summary.epochs, 2u);
  EXPECT_EQ(summary.steps, 4u);
  EXPECT_EQ(summary.examples, 20u);
  EXPECT_EQ(summary.training_seconds, 0.75);
  EXPECT_EQ(summary.seconds, 2);
  ASSERT_TRUE(summary.best.has_value());
  EXPECT_EQ(summary.best->epoch, 1u);
  EXPECT_EQ(summary.stop_reason, "epoch limit");
  EXPECT_EQ(summary.size, training.size());
  EXPECT_EQ(Summarize("", "events.jsonl", reader).size, 0u);
}

TEST(Summarize, RefusesAnAccuracyThatIsNone) {
  const std::string events =
      R"({"event":"checkpoint","epoch":1,"is_best":true,"validation":{"accuracy":7}})"
      "\n";
  JsonReader reader;
  EXPECT_THAT(RefusalOf([&] { Summarize(events, "events.jsonl", reader); }),
              HasSubstr("not between 0 and 1"));
}

}  // namespace
}  // namespace flare
