#include "flare/data/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "flare/base/file.h"
#include "flare/data/baselines.h"
#include "flare/languages/catalog.h"
#include "support/every_language.h"
#include "support/integrity.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    Flare(
        "generate --out d dyck-2-3 --set splits.train.size=100 --set splits.test.size=50 "
        "--set splits.validation-short.size=50 --set splits.validation-long.size=50 "
        "--set splits.test-short-held-out.size=50");
  }
  ShellResult Flare(const std::string& arguments) {
    return RunShell(FlareProgram() + " " + arguments, directory_.path());
  }
  // Damages a file with sed.
  void Spoil(const std::string& file, const std::string& script) {
    const ShellResult result =
        RunShell("sed -i " + script + " d/dyck-2-3/" + file, directory_.path());
    ASSERT_EQ(result.exit_code, 0) << result.output;
  }
  // What is wrong: split → check → how many.
  std::map<std::string, std::map<std::string, std::size_t>> Wrong() {
    std::map<std::string, std::map<std::string, std::size_t>> wrong;
    const fs::path dataset = directory_.path() / "d" / "dyck-2-3";
    for (const auto& row : VerifyDataset(dataset, FindDatasetLanguage(dataset), 3)) {
      for (const Check& check : row.checks) {
        if (check.wrong > 0) wrong[row.split][check.name] = check.wrong;
      }
      if (!row.unreadable.empty()) wrong[row.split]["unreadable"] = 1;
    }
    return wrong;
  }
  using Findings = std::map<std::string, std::map<std::string, std::size_t>>;

  TemporaryDirectory directory_;
};

TEST_F(VerifyTest, FindsNothingWrongAtFirst) {
  EXPECT_EQ(Wrong(), Findings{});
  EXPECT_EQ(Flare("verify d/dyck-2-3").exit_code, 0);
}

TEST_F(VerifyTest, FindsAFlippedLabel) {
  // Turn a negative into the first positive of the edit-distance set, which has none.
  Spoil("datasets/test-edit-distance/num-edits.txt", "'1d'");
  Spoil("datasets/test-edit-distance/edit-distances.txt", "'1d'");
  Spoil("datasets/test-edit-distance/labels.txt", "'1s/0/1/'");
  Spoil("datasets/test-edit-distance/log-probabilities.txt", "'1i -1'");
  fs::remove(directory_.path() / "d/dyck-2-3/datasets/test-edit-distance/next-symbols.jsonl");
  fs::remove(directory_.path() / "d/dyck-2-3/datasets/test-edit-distance/log-probabilities.txt");
  const auto wrong = Wrong();
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong.at("test-edit-distance").at("labels"), 1u);
  EXPECT_EQ(wrong.at("test-edit-distance").at("hashes"), 5u);
}

TEST_F(VerifyTest, FindsOtherNextSymbolsLogarithmsDistancesAndLengths) {
  Spoil("next-symbols.jsonl", "'2s/\"e\":true}]$/\"e\":false}]/'");
  // The eighth digit: no more than a careless computation would lose.
  Spoil("datasets/test/log-probabilities.txt",
        R"('3s/^\(-[0-9.]\{8\}\)[0-4]/\17/;t;3s/^\(-[0-9.]\{8\}\)[5-9]/\12/')");
  Spoil("datasets/test-edit-distance/edit-distances.txt", "'1s/.*/499/'");
  const Findings expected = {{"train", {{"next symbols", 1}, {"hashes", 1}}},
                             {"test", {{"log p", 1}, {"hashes", 1}}},
                             {"test-edit-distance", {{"edit distances", 1}, {"hashes", 1}}}};
  EXPECT_EQ(Wrong(), expected);
  const ShellResult result = Flare("verify d/dyck-2-3");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output,
              HasSubstr("edit distances: d/dyck-2-3/datasets/test-edit-distance/main.tok:1: "
                        "edit distance 499, recomputed "));
}

TEST_F(VerifyTest, FindsHeldOutStringsThatAreInTraining) {
  const std::string train = ReadFile((directory_.path() / "d/dyck-2-3/main.tok").string());
  const fs::path held_out = directory_.path() / "d/dyck-2-3/datasets/test-short-held-out";
  for (const char* file :
       {"main.tok", "labels.txt", "next-symbols.jsonl", "num-edits.txt", "log-probabilities.txt"}) {
    fs::copy_file(directory_.path() / "d/dyck-2-3" / file, held_out / file,
                  fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(Wrong().at("test-short-held-out").at("disjoint"), 100u);
}

TEST_F(VerifyTest, ReportsUnreadableAndMissingSplits) {
  Spoil("labels.txt", "'1s/.*/2/'");
  fs::remove_all(directory_.path() / "d/dyck-2-3/datasets/test");
  const auto wrong = Wrong();
  EXPECT_EQ(wrong.at("train").at("unreadable"), 1u);
  EXPECT_EQ(wrong.at("test").at("unreadable"), 1u);
  EXPECT_EQ(wrong.at("test").at("hashes"), 5u);
  EXPECT_EQ(Flare("verify d/dyck-2-3").exit_code, 1);
}

// Found by review: a member beyond the split's lengths has no entry in the sampling tables.
TEST_F(VerifyTest, ReportsMembersOutsideTheRange) {
  const fs::path dataset = directory_.path() / "parity";
  const auto write = [&](const char* file, const std::string& contents) {
    WriteFileAtomically((dataset / file).string(), contents);
  };
  fs::create_directories(dataset);
  std::string line = "1";
  for (int i = 0; i < 60; ++i) line += " 0";
  write("main.tok", line + "\n");
  write("labels.txt", "1\n");
  write("log-probabilities.txt", "-3\n");
  const auto rows = VerifyDataset(dataset, FindDatasetLanguage(dataset), 1);
  EXPECT_FALSE(rows[0].ok());
  for (const Check& check : rows[0].checks) {
    EXPECT_EQ(check.wrong, check.name == "lengths" || check.name == "log p" ? 1u : 0u)
        << check.name;
  }
}

TEST_F(VerifyTest, HoldsDirectoryFilesAndSettingsAgainstEachOther) {
  fs::copy(directory_.path() / "d/dyck-2-3/datasets/test",
           directory_.path() / "d/dyck-2-3/datasets/extra");
  fs::create_directory(directory_.path() / "d/dyck-2-3/datasets/.hidden");
  auto wrong = Wrong();
  EXPECT_EQ(wrong, (Findings{{"extra", {{"sizes", 1}}}}));
  fs::remove_all(directory_.path() / "d/dyck-2-3/datasets/extra");
  // A split without its files in the manifest is missed by its settings.
  const fs::path manifest = directory_.path() / "d/dyck-2-3/manifest.json";
  WriteFile(manifest, WithoutCheck(ReadFile(manifest)));
  RunShell(
      "sed -i '/validation-long\\//,/}/d' d/dyck-2-3/manifest.json && rm -r "
      "d/dyck-2-3/datasets/validation-long",
      directory_.path());
  wrong = Wrong();
  EXPECT_EQ(wrong.at("validation-long").at("unreadable"), 1u);
}

TEST_F(VerifyTest, ChecksTheHashesOfFilesOutsideSplits) {
  ASSERT_EQ(Flare("generate --out m parity --preset mlregtest --size 100").exit_code, 0);
  EXPECT_EQ(Flare("verify m/parity").exit_code, 0);
  RunShell("echo >> m/parity/mlregtest/parity_train.txt; rm m/parity/mlregtest/parity_dev.txt",
           directory_.path());
  const fs::path dataset = directory_.path() / "m" / "parity";
  const auto rows = VerifyDataset(dataset, FindDatasetLanguage(dataset), 1);
  EXPECT_EQ(rows.back().split, "(other files)");
  EXPECT_EQ(rows.back().checks.back().wrong, 2u);
}

TEST_F(VerifyTest, RefusesHostileManifests) {
  const std::string path = (directory_.path() / "d/dyck-2-3/manifest.json").string();
  const std::string good = WithoutCheck(ReadFile(path));
  const auto expect = [&](const std::string& from, const std::string& to, const char* message) {
    std::string text = good;
    ASSERT_THAT(text, HasSubstr(from)) << from;
    WriteFileAtomically(path, text.replace(text.find(from), from.size(), to));
    const ShellResult result = Flare("verify d/dyck-2-3");
    EXPECT_EQ(result.exit_code, 2) << to;
    EXPECT_THAT(result.output, HasSubstr(message));
  };
  expect("\"seed\": 0", "\"seed\": -1", "seed: not a whole number");
  expect("\"dyck-2-3\",\n    \"class\"", "\"att:/dev/zero\",\n    \"class\"", "has no automaton");
  expect("\"datasets/test/main.tok\"", "\"../../x\"", "is not a path inside the dataset");
  expect("\"datasets/test/main.tok\"", "\"" + std::string(300, 'x') + "\"",
         "is longer than the name of a file can be");
  expect("\"flare-dataset-1\"", "\"flare-dataset-2\"",
         "its format is \"flare-dataset-2\", and this program knows flare-dataset-1");
  expect("\"(0\"", "\"x\"", "alphabet: is not that of dyck-2-3");
  expect("\"flare-dataset-1\"", std::string(5000, '[') + std::string(5000, ']'),
         "is nested more than 100 levels deep");
  expect("\"files\"", "\"filez\"", "did you mean files?");
}

TEST_F(VerifyTest, NeedsToKnowTheLanguage) {
  fs::rename(directory_.path() / "d/dyck-2-3", directory_.path() / "d/other");
  EXPECT_EQ(Flare("verify d/other").exit_code, 0);  // the manifest says
  fs::remove(directory_.path() / "d/other/manifest.json");
  const ShellResult result = Flare("verify d/other");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output,
            "flare: d/other: has no manifest.json, and 'other' is not a language of the paper\n"
            "name its language with --language\n");
  EXPECT_EQ(Flare("verify d/other --language dyck-2-3").exit_code, 0);
  EXPECT_EQ(Flare("verify d/none").exit_code, 2);
}

// The published data has exactly the faults that are known: the log-probabilities of the regular
// languages.
TEST(VerifyPublishedData, FindsExactlyTheKnownFaults) {
  const char* root = std::getenv("FLARE_PUBLISHED_DATA");
  if (root == nullptr) GTEST_SKIP() << "FLARE_PUBLISHED_DATA is not set";
  for (const CatalogEntry& entry : EntriesWhere(IsInPaper)) {
    const fs::path dataset = fs::path(root) / entry.name;
    for (const auto& row : VerifyDataset(dataset, FindDatasetLanguage(dataset), 0)) {
      EXPECT_EQ(row.unreadable, "");
      for (const Check& check : row.checks) {
        const std::string where = entry.name + " " + row.split + " " + check.name;
        EXPECT_FALSE(check.unchecked) << where;
        const bool has_law = entry.make()->MakeSampler({0, 40})->density() != nullptr;
        if (check.name == "labels") EXPECT_EQ(check.checked, row.examples) << where;
        if (check.name == "next symbols") EXPECT_EQ(check.checked, row.positives) << where;
        if (check.name == "log p") EXPECT_EQ(check.checked, has_law ? row.positives : 0) << where;
        const bool known = check.name == "log p" && row.positives > 0 &&
                           entry.language_class == LanguageClass::kRegular;
        EXPECT_EQ(check.wrong > 0, known) << where;
      }
    }
  }
}

// What format alone reaches on the published training splits, from the notes on that data.
TEST(BaselinesOfPublishedData, FormatReachesTheKnownAccuracies) {
  const char* root = std::getenv("FLARE_PUBLISHED_DATA");
  if (root == nullptr) GTEST_SKIP() << "FLARE_PUBLISHED_DATA is not set";
  const std::map<std::string, double> expected = {{"repeat-01", .7746},
                                                  {"dyck-2-3", .7713},
                                                  {"unmarked-reversal", .7862},
                                                  {"cycle-navigation", .9235},
                                                  {"modular-arithmetic-simple", .9878},
                                                  {"binary-addition", .9267},
                                                  {"binary-multiplication", .9375},
                                                  {"compute-sqrt", .8882},
                                                  {"stack-manipulation", .9266},
                                                  {"marked-reversal", .9485},
                                                  {"marked-copy", .9497},
                                                  {"odds-first", .9486},
                                                  {"bucket-sort", .9545},
                                                  {"missing-duplicate-string", .9512}};
  for (const auto& [name, accuracy] : expected) {
    const fs::path dataset = fs::path(root) / name;
    const auto baselines = ComputeBaselines(dataset, FindDatasetLanguage(dataset));
    EXPECT_EQ(baselines.rows[0].split, "train");
    EXPECT_NEAR(*baselines.rows[0].format_only, accuracy, 5e-5) << name;
  }
}

}  // namespace
}  // namespace flare
