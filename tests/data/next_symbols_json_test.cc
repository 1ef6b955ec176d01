#include "flare/data/next_symbols_json.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace flare
