#include <gtest/gtest.h>

#include <string>

#include "flare/base/error.h"
#include "flare/data/flare_files.h"

namespace flare {
namespace {

TEST(NextSymbolsJson, EscapesAsThePublishedFilesDo) {
  const Alphabet alphabet({"0", "×", "\"", "\\", "𝓐"});
  NextSymbolSets sets(alphabet.size());
  sets.Append();
  sets.AppendAll();
  sets.AddEos();
  std::string line;
  NextSymbolsFormatter(alphabet).AppendLine(sets, 0, sets.size(), line);
  EXPECT_EQ(line,
            "[{\"s\":\"\",\"e\":false},"
            "{\"s\":\"\\\" 0 \\\\ \\u00d7 \\ud835\\udcd0\",\"e\":true}]");
}

TEST(NextSymbolsJson, RefusesMoreTextThanFits) {
  const Alphabet alphabet({"0", "1"});
  NextSymbolSets sets(alphabet.size());
  for (int i = 0; i < 100'000; ++i) sets.AppendAll();
  std::string line;
  NextSymbolsFormatter formatter(alphabet, 1 << 20);
  try {
    formatter.AppendLine(sets, 0, sets.size(), line);
    FAIL() << line.size();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the next-symbol sets take more than 1 MB as text");
  }
  EXPECT_LE(line.size(), std::size_t{1} << 20);
  EXPECT_THROW(formatter.Size(sets), InputError);
  std::string all;
  NextSymbolsFormatter unlimited(alphabet);
  unlimited.AppendLine(sets, 0, sets.size(), all);
  EXPECT_EQ(unlimited.Size(sets) + sets.size() + 1, all.size());
}

// A million sets over 10,000 symbols are 1.2 GB: refused by their number, before there are any.
TEST(NextSymbolsLimit, CountsBitsBeforeTheyAreTaken) {
  Split split(10'000);
  split.Add(String(1'000'000), false);
  EXPECT_NO_THROW(CheckNextSymbolsFit(split, "train"));
  split.Add(String(1'000'000), true);
  try {
    CheckNextSymbolsFit(split, "train");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "train: 1000001 next-symbol sets over 10000 symbols take more than 1024 MB");
  }
  EXPECT_NO_THROW(CheckNextSymbolsFit(1'000'000, 100, ""));
}

}  // namespace
}  // namespace flare
