// CSV as tests look at it.

#ifndef FLARE_TESTS_SUPPORT_CSV_ROWS_H_
#define FLARE_TESTS_SUPPORT_CSV_ROWS_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/text.h"

namespace flare {

// Rows by the names of their columns. Requires: no field has a quote in it.
inline std::vector<std::map<std::string, std::string>> CsvRows(const std::string& text) {
  const auto fields = [](std::string_view line) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (const char c : line) {
      if (c == '"') {
        is_quoted = !is_quoted;
      } else if (c == ',' && !is_quoted) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    return cells;
  };
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> head;
  for (const std::string_view line : Lines(text)) {
    const std::vector<std::string> cells = fields(line);
    if (head.empty()) {
      head = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), head.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[head[i]] = cells[i];
    EXPECT_EQ(row.size(), head.size()) << "two columns have the same name";
  }
  return rows;
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_CSV_ROWS_H_
