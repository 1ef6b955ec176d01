#include "flare/base/csv.h"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// Takes the fields of one row, of which the text has at least a part.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool AtEnd() const { return at_ == text_.size(); }
  std::size_t line() const { return line_; }

  // Its fields, and its text as it stands there.
  std::pair<std::vector<std::string>, std::string> Row() {
    const std::size_t begin = at_;
    std::vector<std::string> fields;
    while (true) {
      fields.push_back(Field());
      const std::size_t end = at_;
      if (AtEnd()) return {fields, std::string(text_.substr(begin))};
      const char c = text_[at_++];
      if (c == ',') continue;
      if (c == '\r' && !AtEnd() && text_[at_] == '\n') ++at_;
      ++line_;
      return {fields, std::string(text_.substr(begin, end - begin))};
    }
  }

 private:
  std::string Field() {
    std::string field;
    if (AtEnd() || text_[at_] != '"') {
      while (!AtEnd() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
        field += text_[at_++];
      }
      return field;
    }
    const std::size_t opened = line_;
    for (++at_; !AtEnd(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        field += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += text_[++at_];
      } else {
        ++at_;
        if (AtEnd() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r') return field;
        throw InputError(fmt::format("{}:{}", file_, line_),
                         "text after the quote that ends a field");
      }
    }
    throw InputError(fmt::format("{}:{}", file_, opened), "a quote is not closed");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

CsvTable ParseCsv(std::string_view text, const std::string& file) {
  CsvScanner scanner(text, file);
  if (scanner.AtEnd()) throw InputError(file, "is empty; expected a line that names the columns");
  CsvTable table;
  std::tie(table.columns, table.head) = scanner.Row();
  std::set<std::string> names;
  for (const std::string& name : table.columns) {
    if (names.insert(name).second) continue;
    throw InputError(file + ":1", fmt::format("two columns are named {}", Quoted(name)));
  }
  while (!scanner.AtEnd()) {
    CsvRow row{.line = scanner.line()};
    std::vector<std::string> fields;
    std::tie(fields, row.text) = scanner.Row();
    if (fields.size() != table.columns.size()) {
      throw InputError(fmt::format("{}:{}", file, row.line),
                       fmt::format("{}, where the first line names {}",
                                   Counted(fields.size(), "field"), table.columns.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      row.fields.emplace(table.columns[i], std::move(fields[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace flare
