#include "flare/data/verify.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "flare/base/file.h"
#include "flare/data/baselines.h"
#include "flare/languages/catalog.h"
#include "support/shell.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    Flare("generate --out d dyck-2-3 --set splits.train.size=100 --set splits.test.size=50 "
          "--set splits.validation-short.size=50 --set splits.validation-long.size=50 "
          "--set splits.test-short-held-out.size=50");
  }
  ShellResult Flare(const std::string& arguments) {
    return RunShell(std::string(FLARE_BINARY) + " " + arguments, directory_.path());
  }
  // Spoils a file with sed.
  void Spoil(const std::string& file, const std::string& script) {
    const ShellResult result = RunShell("sed -i " + script + " d/dyck-2-3/" + file, directory_.path());
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
  // Turn the first positive of the edit-distance set, which has none, out of a negative.
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
  Spoil("datasets/test/log-probabilities.txt", "'3s/$/1/'");
  Spoil("datasets/test-edit-distance/edit-distances.txt", "'1s/.*/499/'");
  const Findings expected = {{"train", {{"next symbols", 1}, {"hashes", 1}}},
                             {"test", {{"log p", 1}, {"hashes", 1}}},
                             {"test-edit-distance", {{"edit distances", 1}, {"hashes", 1}}}};
  // A digit more at the end changes a logarithm below the tolerance: make it a larger change.
  Spoil("datasets/test/log-probabilities.txt", "'3s/^-/-9/'");
  EXPECT_EQ(Wrong(), expected);
  const ShellResult result = Flare("verify d/dyck-2-3");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("edit distances: d/dyck-2-3/datasets/test-edit-distance/main.tok:1: "
                               "edit distance 499, recomputed "),
            std::string::npos)
      << result.output;
}

TEST_F(VerifyTest, FindsHeldOutStringsThatAreInTraining) {
  const std::string train = ReadFile((directory_.path() / "d/dyck-2-3/main.tok").string());
  const fs::path held_out = directory_.path() / "d/dyck-2-3/datasets/test-short-held-out";
  for (const char* file : {"main.tok", "labels.txt", "next-symbols.jsonl", "num-edits.txt",
                           "log-probabilities.txt"}) {
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

TEST_F(VerifyTest, NeedsToKnowTheLanguage) {
  fs::rename(directory_.path() / "d/dyck-2-3", directory_.path() / "d/other");
  EXPECT_EQ(Flare("verify d/other").exit_code, 0);  // the manifest says
  fs::remove(directory_.path() / "d/other/manifest.json");
  const ShellResult result = Flare("verify d/other");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output,
            "flare: d/other: has no manifest.json, and 'other' is no built-in language\n"
            "name its language with --language\n");
  EXPECT_EQ(Flare("verify d/other --language dyck-2-3").exit_code, 0);
  EXPECT_EQ(Flare("verify d/none").exit_code, 2);
}

// The published data has exactly the faults that are known: the log-probabilities of the regular
// languages.
TEST(VerifyPublishedData, FindsExactlyTheKnownFaults) {
  const char* root = std::getenv("FLARE_PUBLISHED_DATA");
  if (root == nullptr) GTEST_SKIP() << "FLARE_PUBLISHED_DATA is not set";
  for (const CatalogEntry& entry : Catalog()) {
    const fs::path dataset = fs::path(root) / entry.name;
    for (const auto& row : VerifyDataset(dataset, FindDatasetLanguage(dataset), 0)) {
      EXPECT_EQ(row.unreadable, "");
      for (const Check& check : row.checks) {
        const bool known = check.name == "log p" && check.checked > 0 &&
                           entry.language_class == LanguageClass::kRegular;
        EXPECT_EQ(check.wrong > 0, known) << entry.name << " " << row.split << " " << check.name;
      }
    }
  }
}

// What format alone reaches on the published training splits, from the notes on that data.
TEST(BaselinesOfPublishedData, FormatReachesTheKnownAccuracies) {
  const char* root = std::getenv("FLARE_PUBLISHED_DATA");
  if (root == nullptr) GTEST_SKIP() << "FLARE_PUBLISHED_DATA is not set";
  const std::map<std::string, double> expected = {
      {"repeat-01", .7746},       {"dyck-2-3", .7713},
      {"unmarked-reversal", .7862}, {"cycle-navigation", .9235},
      {"modular-arithmetic-simple", .9878}, {"binary-addition", .9267},
      {"binary-multiplication", .9375}, {"compute-sqrt", .8882},
      {"stack-manipulation", .9266}, {"marked-reversal", .9485},
      {"marked-copy", .9497},     {"odds-first", .9486},
      {"bucket-sort", .9545},     {"missing-duplicate-string", .9512}};
  for (const auto& [name, accuracy] : expected) {
    const fs::path dataset = fs::path(root) / name;
    const auto baselines = ComputeBaselines(dataset, FindDatasetLanguage(dataset));
    EXPECT_EQ(baselines.rows[0].split, "train");
    EXPECT_NEAR(*baselines.rows[0].format_only, accuracy, 5e-5) << name;
  }
}

}  // namespace
}  // namespace flare
