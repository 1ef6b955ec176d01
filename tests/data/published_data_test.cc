// Every line of the published data: labels, next-symbol sets, edit distances and log-probabilities,
// of whichever splits and files are there. The data (github.com/rycolab/flare) is named by
// $FLARE_PUBLISHED_DATA; without it these tests are skipped and say so.
//
// What is known to be wrong there: the log-probabilities of the seven regular languages, which are
// sums of un-normalized float16 weights and are not compared; and 943 labels of the test split of
// compute-sqrt, which are counted.

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/automata/matching.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/flare_files.h"
#include "flare/languages/catalog.h"
#include "support/every_language.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

class PublishedData : public testing::TestWithParam<CatalogEntry> {
 protected:
  void SetUp() override {
    const char* root = std::getenv("FLARE_PUBLISHED_DATA");
    if (root == nullptr) GTEST_SKIP() << "FLARE_PUBLISHED_DATA is not set";
    directory_ = fs::path(root) / GetParam().name;
    ASSERT_TRUE(fs::is_directory(directory_)) << directory_;
    splits_ = {directory_};
    for (const auto& entry : fs::directory_iterator(directory_ / "datasets")) {
      if (fs::exists(entry.path() / "main.tok") && fs::exists(entry.path() / "labels.txt")) {
        splits_.push_back(entry.path());
      }
    }
    ASSERT_GE(splits_.size(), 3u);
  }

  // The lengths that the strings of a split were drawn from.
  static LengthRange LengthsOf(const fs::path& path) {
    for (const SplitConfig& split : MakePreset("flare").splits) {
      if (path.filename() == split.name) return split.lengths;
    }
    return {0, 40};  // the training split, which has the language's name
  }

  struct Split {
    std::vector<String> strings;
    std::vector<bool> labels;
  };
  Split Read(const fs::path& path) const {
    Split split;
    const std::string tokens = ReadFile(path / "main.tok"), labels = ReadFile(path / "labels.txt");
    for (const std::string_view line : Lines(tokens)) {
      split.strings.push_back(language_->alphabet().Parse(line, path));
    }
    for (const std::string_view line : Lines(labels)) split.labels.push_back(line == "1");
    EXPECT_EQ(split.strings.size(), split.labels.size());
    return split;
  }
  static std::vector<double> Numbers(const std::string& text) {
    std::vector<double> numbers;
    for (const std::string_view line : Lines(text)) {
      double value = NAN;
      std::from_chars(line.data(), line.data() + line.size(), value);
      numbers.push_back(value);
    }
    return numbers;
  }

  fs::path directory_;
  std::vector<fs::path> splits_;
  const std::unique_ptr<const Language> language_ = GetParam().make();
};

TEST_P(PublishedData, LabelsAgree) {
  for (const fs::path& path : splits_) {
    const Split split = Read(path);
    std::size_t different = 0, shortest = SIZE_MAX;
    for (std::size_t i = 0; i < split.strings.size(); ++i) {
      if (language_->Contains(split.strings[i]) == split.labels[i]) continue;
      ++different;
      shortest = std::min(shortest, split.strings[i].size());
      EXPECT_TRUE(split.labels[i]) << path << ":" << i + 1;
    }
    const bool is_wrong = GetParam().name == "compute-sqrt" && path.filename() == "test";
    EXPECT_EQ(different, is_wrong ? 943u : 0u) << path;
    if (is_wrong) EXPECT_EQ(shortest, 169u);
  }
}

TEST_P(PublishedData, NextSymbolsAgreeByteForByte) {
  for (const fs::path& path : splits_) {
    if (!fs::exists(path / "next-symbols.jsonl")) continue;
    const Split split = Read(path);
    const std::string text = ReadFile(path / "next-symbols.jsonl");
    const auto theirs = Lines(text);
    NextSymbolSets sets(language_->alphabet().size());
    NextSymbolsFormatter formatter(language_->alphabet());
    std::size_t next = 0, different = 0;
    for (std::size_t i = 0; i < split.strings.size(); ++i) {
      if (!split.labels[i]) continue;
      ASSERT_LT(next, theirs.size()) << path;
      const std::string_view line = theirs[next++];
      if (!language_->Contains(split.strings[i])) continue;  // wrongly labelled: see above
      std::string ours;
      language_->NextSymbols(split.strings[i], sets);
      formatter.AppendLine(sets, 0, sets.size(), ours);
      different += ours == line ? 0 : 1;
    }
    EXPECT_EQ(different, 0u) << path;
    EXPECT_EQ(next, theirs.size()) << path;
  }
}

TEST_P(PublishedData, EditDistancesAgree) {
  std::size_t compared = 0;
  for (const fs::path& path : splits_) {
    if (!fs::exists(path / "edit-distances.txt")) continue;
    const Split split = Read(path);
    const auto published = Numbers(ReadFile(path / "edit-distances.txt"));
    ASSERT_EQ(published.size(), split.strings.size());
    for (std::size_t i = 0; i < published.size(); ++i) {
      EXPECT_EQ(EditDistance(*language_->dfa(), split.strings[i]), published[i])
          << path << ":" << i;
      ++compared;
    }
  }
  const bool expected = GetParam().name == "repeat-01" || GetParam().name == "dyck-2-3";
  EXPECT_EQ(compared, expected ? 50u : 0u);
}

TEST_P(PublishedData, LogProbabilitiesAgreeWhereTheyAreRight) {
  for (const fs::path& path : splits_) {
    if (language_->dfa() != nullptr || !fs::exists(path / "log-probabilities.txt")) continue;
    const Split split = Read(path);
    const auto published = Numbers(ReadFile(path / "log-probabilities.txt"));
    const auto sampler = language_->MakeSampler(LengthsOf(path));
    ASSERT_NE(sampler->density(), nullptr);
    std::size_t next = 0;
    for (std::size_t i = 0; i < split.strings.size(); ++i) {
      if (!split.labels[i]) continue;
      ASSERT_NEAR(sampler->density()->LogProbability(split.strings[i]), published.at(next++), 1e-9);
    }
    EXPECT_EQ(next, published.size()) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, PublishedData, testing::ValuesIn(EntriesWhere(IsInPaper)),
                         LanguageTestName);

}  // namespace
}  // namespace flare
