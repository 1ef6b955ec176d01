#include "flare/data/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "flare/data/generate.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "support/every_language.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

void WriteSplit(const fs::path& directory, const std::string& strings, const std::string& labels) {
  fs::create_directories(directory);
  WriteFileAtomically((directory / "main.tok").string(), strings);
  WriteFileAtomically((directory / "labels.txt").string(), labels);
}

// Worked out by hand: training has two positives of three of length 1, and a tie at length 2.
TEST(Baselines, MajoritiesAreThoseOfTraining) {
  const TemporaryDirectory directory;
  const fs::path dataset = directory.path() / "repeat-01";
  WriteSplit(dataset, "0\n1\n1\n0 1\n1 0\n", "1\n1\n0\n1\n0\n");
  WriteSplit(dataset / "datasets" / "test", "0\n0 1\n0 1 0\n1 1 1 1\n", "0\n1\n0\n1\n");
  const auto baselines = ComputeBaselines(dataset, FindDatasetLanguage(dataset));
  ASSERT_EQ(baselines.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(baselines.rows[0].majority, 3.0 / 5);
  EXPECT_DOUBLE_EQ(baselines.rows[0].majority_per_length, 3.0 / 5);
  EXPECT_DOUBLE_EQ(*baselines.rows[0].format_only, 2.0 / 5);  // even length
  EXPECT_DOUBLE_EQ(baselines.rows[1].majority, 2.0 / 4);
  EXPECT_DOUBLE_EQ(*baselines.rows[1].format_only, 1);
  // Lengths 3 and 4 were not seen: the overall majority, as for length 1; length 2 was a tie.
  EXPECT_DOUBLE_EQ(baselines.rows[1].majority_per_length, 2.0 / 4);
}

// Both strings have the same substrings of one and of two symbols, but not of three.
TEST(Baselines, NgramsHaveUpToThreeSymbols) {
  const TemporaryDirectory directory;
  std::string strings, labels;
  for (int i = 0; i < 20; ++i) {
    strings += "0 1 1 1 0\n0 1 1 0\n";
    labels += "1\n0\n";
  }
  WriteSplit(directory.path() / "mine", strings, labels);
  EXPECT_EQ(ComputeBaselines(directory.path() / "mine").rows[0].ngrams, 1);
}

// Majority is decided by counts, first by an n-gram only approximately, "contains aa" by 2-grams.
TEST(Baselines, RegressionsLearnWhatTheirFeaturesSay) {
  const TemporaryDirectory directory;
  const auto flare = [&](const std::string& arguments) {
    const ShellResult result = RunShell(FlareProgram() + " " + arguments, directory.path());
    ASSERT_EQ(result.exit_code, 0) << result.output;
  };
  flare("generate --out d majority --set splits.test.size=500");
  flare("generate --out d 'regex:.*aa.*&[ab]*' --name aa --set splits.test.size=500");
  const auto row = [&](const char* name, std::size_t i) {
    const fs::path dataset = directory.path() / "d" / name;
    return ComputeBaselines(dataset, FindDatasetLanguage(dataset)).rows[i];
  };
  EXPECT_GT(row("majority", 0).symbol_counts, 0.99);
  EXPECT_GT(row("aa", 0).ngrams, 0.999);
  EXPECT_LT(row("aa", 0).symbol_counts, 0.9);
  // Of .*aa.*, no more than `.+` is known without counting.
  EXPECT_GT(row("aa", 0).format_only, 0.3);
}

TEST(Baselines, StateMergingLearnsWhatRegressionsCannot) {
  const TemporaryDirectory directory;
  DatasetConfig config = MakePreset("flare");
  ApplySetting("splits.train.size", "2000", "", config);
  ApplySetting("splits.test.size", "200", "", config);
  GenerateDataset({"parity", ResolveLanguage("parity")}, {directory.path(), 0, config});
  const fs::path dataset = directory.path() / "parity";
  const DatasetBaselines baselines = ComputeBaselines(dataset, FindDatasetLanguage(dataset));
  EXPECT_EQ(baselines.learned_states, 2u);
  EXPECT_EQ(baselines.merging_stopped, "");
  for (const BaselineRow& row : baselines.rows) EXPECT_EQ(row.state_merging, 1) << row.split;
  const Json json = BaselinesToJson(baselines);
  EXPECT_EQ(json["splits"]["test"]["state_merging"], 1);
  EXPECT_EQ(json["state_merging"]["states"], 2);
}

TEST(Baselines, SayWhyStateMergingHasNoAutomaton) {
  const TemporaryDirectory directory;
  WriteSplit(directory.path() / "mine", "x\nx\n", "1\n0\n");
  const DatasetBaselines baselines = ComputeBaselines(directory.path() / "mine");
  EXPECT_EQ(baselines.rows[0].state_merging, std::nullopt);
  EXPECT_EQ(baselines.merging_stopped, "stopped: 'x' has both labels");
  EXPECT_TRUE(BaselinesToJson(baselines)["splits"]["train"]["state_merging"].is_null());
  EXPECT_THAT(FormatBaselines({baselines}), HasSubstr("merging stopped: 'x' has both labels"));
}

TEST(Baselines, TakeAFormatFromTheCommandLine) {
  const TemporaryDirectory directory;
  WriteSplit(directory.path() / "mine", "x\ny\nx y\n", "1\n0\n1\n");
  const auto flare = [&](const std::string& arguments) {
    return RunShell(FlareProgram() + " baselines mine " + arguments, directory.path());
  };
  const ShellResult result = flare("--envelope 'x.*'");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("mine: format is x.*"));
  EXPECT_EQ(flare("--envelope 'z'").exit_code, 2);
}

TEST(Baselines, DoWithoutALanguage) {
  const TemporaryDirectory directory;
  WriteSplit(directory.path() / "mine", "x\ny\nx y\n", "1\n0\n1\n");
  const ShellResult result = RunShell(FlareProgram() + " baselines mine", directory.path());
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(ComputeBaselines(directory.path() / "mine").rows[0].format_only, std::nullopt);
}

TEST(LogisticRegression, SeparatesWhatIsSeparableAndCopesWithOneClass) {
  const std::vector<SparseVector> examples = {{{0, 1}}, {{1, 1}}, {{0, 2}}, {{1, 2}}, {}};
  const LogisticRegression two(examples, {1, 0, 1, 0, 0}, 2, 1);
  EXPECT_TRUE(two.Predict({{0, 3}}));
  EXPECT_FALSE(two.Predict({{1, 3}}));
  const LogisticRegression one(examples, {1, 1, 1, 1, 1}, 2, 1);
  EXPECT_TRUE(one.Predict({{1, 3}}));
  const LogisticRegression none(examples, {0, 0, 0, 0, 0}, 2, 1);
  EXPECT_FALSE(none.Predict({{0, 3}}));
}

// An envelope is a superset of its language.
class Envelope : public testing::TestWithParam<CatalogEntry> {};

TEST_P(Envelope, HoldsEveryMember) {
  const auto language = GetParam().make();
  const Dfa envelope = CompileRegex(GetParam().envelope, language->alphabet().names());
  ASSERT_EQ(envelope.alphabet(), language->alphabet());
  const auto sampler = language->MakeSampler({0, 100});
  String w;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Rng rng = Rng::For(0, GetParam().name, i);
    sampler->Sample(rng, w);
    ASSERT_TRUE(envelope.Accepts(w));
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, Envelope, AllLanguages(), LanguageTestName);

}  // namespace
}  // namespace flare
