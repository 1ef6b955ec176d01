#include "flare/report/titles.h"

#include <gtest/gtest.h>

#include <set>

namespace flare::report {
namespace {

// data/ has overview.js, stamp.js, and for each language STEM.js and STEM.runs.js.
TEST(FileStems, KeepTheFilesOfLanguagesApart) {
  const std::vector<std::string> languages = {"overview", "stamp", "a",     "a.runs", "a b",
                                              "a-b",      "..",    "größe", "grösse"};
  std::set<std::string> files = {"overview.js", "stamp.js"};
  for (const auto& [language, stem] : FileStems(languages)) {
    EXPECT_TRUE(files.insert(stem + ".js").second) << language << ": " << stem;
    EXPECT_TRUE(files.insert(stem + ".runs.js").second) << language << ": " << stem;
    EXPECT_EQ(stem.find('/'), std::string::npos);
  }
  EXPECT_EQ(files.size(), 2 + 2 * languages.size());
}

TEST(FileStems, OfOtherWritingsAreAsLongAsTheyAre) {
  EXPECT_EQ(FileStem("größe"), "gru00f6u00dfe");
  EXPECT_EQ(FileStem("偶数"), "u5076u6570");
  EXPECT_EQ(FileStem("a / b"), "a-b");
}

}  // namespace
}  // namespace flare::report
