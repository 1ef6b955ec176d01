#include "flare/base/csv.h"

#include <gtest/gtest.h>

#include "support/refusal.h"

namespace flare {
namespace {

TEST(Csv, ReadsFieldsByTheirColumns) {
  const CsvTable table = ParseCsv("a,b\n1,\n\"x,\"\"y\"\"\n\",2\r\n3,4", "t.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].fields.at("a"), "1");
  EXPECT_EQ(table.rows[0].fields.at("b"), "");
  EXPECT_EQ(table.rows[1].fields.at("a"), "x,\"y\"\n");
  EXPECT_EQ(table.rows[1].fields.at("b"), "2");
  EXPECT_EQ(table.rows[1].line, 3u);
  EXPECT_EQ(table.rows[2].fields.at("b"), "4");
  EXPECT_EQ(table.rows[2].line, 5u);
}

TEST(Csv, NamesFileAndLineOfWhatIsWrong) {
  const auto refusal = [](const std::string& text) {
    return RefusalOf([&] { ParseCsv(text, "t.csv"); });
  };
  EXPECT_EQ(refusal(""), "t.csv: is empty; expected a line that names the columns");
  EXPECT_EQ(refusal("a,a\n"), "t.csv:1: two columns are named 'a'");
  EXPECT_EQ(refusal("a,b\n1,2\n3\n"), "t.csv:3: 1 field, where the first line names 2");
  EXPECT_EQ(refusal("a\n\"x\n"), "t.csv:2: a quote is not closed");
  EXPECT_EQ(refusal("a\n\"x\"y\n"), "t.csv:2: text after the quote that ends a field");
}

}  // namespace
}  // namespace flare
