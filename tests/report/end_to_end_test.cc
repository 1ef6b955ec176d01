// From a real sweep to a number in a table: nothing between the strings of a test split and the
// mean of a cell is taken on trust.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// Two variants of one architecture, one of which the user has named.
constexpr const char* kGrid = R"(
languages = [{name = "ab-star", language = "regex:(ab)*"}]
architectures = ["rnn", {architecture = "rnn", layers = 2, name = "Deep, \"mine\""}]
losses = ["rec"]
validations = ["short"]
budgets = [1_000]
trials = 2
[settings]
batch_tokens = 256
checkpoint_examples = 100
max_epochs = 4
[data]
splits.train.size = 100
splits.train.max_length = 10
splits.validation-short.size = 50
splits.validation-short.max_length = 10
splits.validation-long.size = 0
splits.test.size = 100
splits.test.max_length = 30
splits.test-short-held-out.size = 0
splits.test-edit-distance.size = 0
)";

std::vector<std::string> LinesOfFile(const fs::path& file) {
  std::istringstream text(ReadFile(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Of the run's own logits against the labels of the dataset.
double AccuracyOf(const fs::path& run, const fs::path& dataset) {
  const auto labels = LinesOfFile(dataset / "datasets/test/labels.txt");
  const auto answers = LinesOfFile(run / "eval/test.jsonl");
  EXPECT_EQ(labels.size(), answers.size());
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool accepts = Json::parse(answers[i])["logit"].get<double>() >= 0;
    right += accepts == (labels[i] == "1");
  }
  return right / static_cast<double>(labels.size());
}

TEST(EndToEnd, TheMeanOfACellIsThatOfItsRuns) {
  const TemporaryDirectory folder;
  WriteFile(folder.path() / "grid.toml", kGrid);
  const std::string flare = FlareProgram();
  const ShellResult made = RunShell(
      flare + " sweep run grid.toml --data data --out out && " + flare + " report out --to report",
      folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const Json table = Json::parse(ReadFile(folder.path() / "report/tables/main.json"));
  std::map<std::string, std::string> titles;
  for (const Json& column : table["columns"]) titles[column["key"]] = column["title"];
  for (const std::string variant : {"rnn", "rnn,layers=2"}) {
    const fs::path cell = folder.path() / "out/runs/ab-star" / variant / "rec/short/1000";
    const double a = AccuracyOf(cell / "1", folder.path() / "data/ab-star");
    const double b = AccuracyOf(cell / "2", folder.path() / "data/ab-star");
    ASSERT_TRUE(titles.contains("short_" + variant)) << table["columns"].dump();
    const Json& shown = table["rows"][0]["short_" + variant];
    EXPECT_DOUBLE_EQ(shown["value"].get<double>(), (a + b) / 2) << variant;
    EXPECT_NEAR(shown["std"].get<double>(), std::abs(a - b) / 2, 1e-12) << variant;
  }
  // The user's name for a variant is what people read; ids stay what they are.
  EXPECT_EQ(titles["short_rnn,layers=2"], "Deep, \"mine\"");
  const std::string csv = ReadFile(folder.path() / "report/runs.csv");
  EXPECT_THAT(csv, HasSubstr("\"rnn,layers=2\""));
}

}  // namespace
}  // namespace flare
