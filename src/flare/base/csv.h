// Comma-separated values as in RFC 4180: fields with commas, quotes or line breaks are quoted, and
// a quote within them is written twice.

#ifndef FLARE_BASE_CSV_H_
#define FLARE_BASE_CSV_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flare {

struct CsvRow {
  std::size_t line = 0;   // where it begins in the file, from 1
  std::string text = {};  // as it stands there, without the end of its line
  std::map<std::string, std::string> fields = {};
};

struct CsvTable {
  std::string head;  // the line that names the columns
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;
};

// The first line names the columns. Throws InputError with file and line: rows of another width,
// columns of the same name, a quote that is not closed.
CsvTable ParseCsv(std::string_view text, const std::string& file);

}  // namespace flare

#endif  // FLARE_BASE_CSV_H_
