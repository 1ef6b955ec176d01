#include "flare/runs/metrics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "flare/base/file.h"
#include "support/version02.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

TEST(Metrics, FilesOfVersion02AreRewrittenUnchanged) {
  JsonReader reader;
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Version02("twelve/sweep/runs"))) {
    const fs::path& file = entry.path();
    if (file.parent_path().filename() != "eval" || file.extension() != ".json") continue;
    if (file.filename() == "hardest.json") continue;
    const SplitMetrics metrics = MetricsFromJson(reader.Read(file));
    EXPECT_EQ(metrics.split, file.stem());
    EXPECT_EQ(MetricsToJson(metrics).dump() + "\n", ReadFile(file)) << file;
    ++compared;
  }
  EXPECT_EQ(compared, 12u * 6);
}

TEST(Metrics, NoLengthsGiveNoCurve) {
  SplitMetrics metrics;
  metrics.accuracy = 0.5;
  EXPECT_EQ(MetricsToJson(metrics)["smoothed"], Json::array());
}

// Of a loss without recognition.
TEST(Metrics, ModelWithoutRecognitionHasOnlyMetricsOfTerms) {
  SplitMetrics metrics;
  metrics.split = "test";
  metrics.examples = 4;
  metrics.positives = 2;
  metrics.terms = {{.key = "state",
                    .cross_entropy = 0.25,
                    .measures_accuracy = true,
                    .positions = 0.5,
                    .strings = 0.0}};
  metrics.terms_by_length = {{"state", {{.length = 3, .examples = 4}}}};
  const Json json = MetricsToJson(metrics);
  for (const char* of_recognition :
       {"accuracy", "recognition_cross_entropy", "f1", "auc", "false_positives", "by_length",
        "smoothed", "longest_perfect_length"}) {
    EXPECT_FALSE(json.contains(of_recognition)) << of_recognition;
  }
  JsonReader reader;
  const SplitMetrics back = MetricsFromJson(reader.Parse(json.dump(), "test.json"));
  EXPECT_EQ(MetricsToJson(back), json);
  EXPECT_EQ(back.Find("accuracy"), std::nullopt);
  EXPECT_EQ(back.Find("longest_perfect_length"), std::nullopt);
  EXPECT_EQ(back.Find("state_accuracy_positions"), 0.5);
}

TEST(Metrics, NanIsNullAndNoScalar) {
  SplitMetrics metrics;
  metrics.accuracy = 0.5;
  metrics.recognition_cross_entropy = std::numeric_limits<double>::quiet_NaN();
  metrics.terms = {{.key = "lm", .cross_entropy = 0.5},
                   {.key = "next_symbol", .measures_accuracy = true}};
  const Json json = Json::parse(MetricsSummary(metrics).dump());
  EXPECT_TRUE(json["recognition_cross_entropy"].is_null());
  EXPECT_TRUE(json["next_symbol_accuracy"].is_null());
  EXPECT_EQ(json["lm_cross_entropy"], 0.5);
  EXPECT_EQ(metrics.Find("recognition_cross_entropy"), std::nullopt);
  EXPECT_EQ(metrics.Find("lm_cross_entropy"), 0.5);
}

}  // namespace
}  // namespace flare
