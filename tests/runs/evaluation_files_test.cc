#include "flare/runs/evaluation_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/version02.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

TEST(Examples, FilesOfVersion02AreRewrittenUnchanged) {
  JsonReader reader;
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Version02("twelve/sweep/runs"))) {
    const fs::path& file = entry.path();
    if (file.parent_path().filename() != "eval" || file.extension() != ".jsonl") continue;
    const std::string text = ReadFile(file);
    std::string again;
    for (const ExampleRow& row : ReadExamples(text, file, reader)) AppendExample(row, again);
    EXPECT_EQ(again, text) << file;
    ++compared;
  }
  EXPECT_EQ(compared, 24u);
}

TEST(Examples, KeepWhatIsNotANumberAndWhatIsNotThere) {
  std::string text;
  AppendExample({.logit = NAN,
                 .label = true,
                 .length = 3,
                 .cross_entropy = INFINITY,
                 .of_terms = {{"lm_cross_entropy", 0.5}},
                 .edit_distance = {},
                 .num_edits = std::optional<std::size_t>()},
                text);
  EXPECT_EQ(text, R"({"logit":null,"label":1,"length":3,"cross_entropy":null,)"
                  R"("lm_cross_entropy":0.5,"num_edits":null})"
                  "\n");
  JsonReader reader;
  const auto rows = ReadExamples(text, "test.jsonl", reader);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(std::isnan(rows[0].logit));
  EXPECT_TRUE(std::isnan(rows[0].cross_entropy));
  EXPECT_FALSE(rows[0].edit_distance);
  ASSERT_TRUE(rows[0].num_edits);
  EXPECT_FALSE(*rows[0].num_edits);
  EXPECT_EQ(rows[0].of_terms,
            (std::vector<std::pair<std::string, double>>{{"lm_cross_entropy", 0.5}}));
}

TEST(Examples, FaultsNameTheLine) {
  JsonReader reader;
  EXPECT_EQ(RefusalOf([&] {
              ReadExamples("{\"label\":1,\"length\":2}\n{\"label\":1}\n", "test.jsonl", reader);
            }),
            "test.jsonl:2: 'length' is missing");
}

TEST(Hardest, FilesOfVersion02AreRewrittenUnchanged) {
  JsonReader reader;
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Version02("twelve/sweep/runs"))) {
    if (entry.path().filename() != "hardest.json") continue;
    const auto examples = HardestFromJson(reader.Read(entry.path()));
    EXPECT_EQ(HardestToJson("test", examples).dump() + "\n", ReadFile(entry.path()))
        << entry.path();
    ++compared;
  }
  EXPECT_EQ(compared, 12u);
}

TEST(Hardest, ProbabilitiesMayBeMissing) {
  JsonReader reader;
  const auto examples = HardestFromJson(
      reader.Parse(R"({"examples": [{"index": 7, "string": "a b", "label": 0, "logit": null},)"
                   R"({"index": 1, "string": "", "label": 1, "logit": 0.5,)"
                   R"("prefix_probabilities": [0.25, null]}]})",
                   "hardest.json"));
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].string, "a b");
  EXPECT_TRUE(std::isnan(examples[0].logit));
  EXPECT_TRUE(examples[0].prefix_probabilities.empty());
  EXPECT_EQ(examples[1].prefix_probabilities[0], 0.25);
  EXPECT_TRUE(std::isnan(examples[1].prefix_probabilities[1]));
}

}  // namespace
}  // namespace flare
