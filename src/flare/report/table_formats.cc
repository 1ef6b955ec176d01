#include "flare/report/table_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/json.h"
#include "flare/base/text.h"
#include "flare/report/latex.h"

namespace flare::report {
namespace {

// Would a reader of the numbers alone think that no run is missing?
bool LooksComplete(const Coverage& coverage) {
  return coverage.scored >= coverage.expected && coverage.others_lack;
}

std::string SignedDifference(const Cell& cell) {
  const std::string text = FormatFixed(cell.Difference(), cell.decimals);
  return text[0] == '-' ? "−" + text.substr(1) : "+" + text;
}

std::string MarkdownEscaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    // A character reference, or a tag: Markdown passes HTML through.
    if (c == '&') out += "&amp;";
    if (c == '<') out += "&lt;";
    if (c == '&' || c == '<') continue;
    if (c == '|' || c == '*' || c == '_' || c == '`' || c == '[' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string MarkdownCell(const Cell& cell, const std::string& label) {
  std::string text;
  if (cell.kind == Cell::Kind::kText) text = MarkdownEscaped(cell.text);
  if (cell.kind == Cell::Kind::kNumber) text = FormatFixed(cell.value, cell.decimals);
  if (cell.interval) {
    text = fmt::format("{}–{} (n = {})", FormatFixed(cell.interval->low, cell.decimals),
                       FormatFixed(cell.interval->high, cell.decimals), cell.interval->n);
  }
  if (cell.bold) text = "**" + text + "**";
  if (cell.spread) text += " ± " + FormatFixed(*cell.spread, cell.decimals);
  const std::string coverage = CoverageText(cell);
  if (!coverage.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", coverage);
  if (cell.published) {
    std::string theirs = label + " " + FormatFixed(*cell.published, cell.decimals);
    if (cell.published_spread) theirs += " ± " + FormatFixed(*cell.published_spread, cell.decimals);
    if (cell.kind == Cell::Kind::kNumber && cell.judged) {
      theirs += cell.ComparedWithPublished() == 0 ? " =" : " " + SignedDifference(cell);
    }
    text += (text.empty() ? "" : " · ") + theirs;
  }
  if (!cell.published_text.empty()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", label, cell.published_text);
    if (cell.kind == Cell::Kind::kText) text += cell.agrees ? " =" : " ≠";
  }
  return text;
}

// The parts of a cell besides its value, by the suffix of their column.
std::vector<std::pair<std::string, std::string>> CsvParts(const Cell& cell) {
  std::vector<std::pair<std::string, std::string>> parts;
  const auto add = [&](const char* suffix, const std::string& text) {
    parts.emplace_back(suffix, text);
  };
  if (cell.kind == Cell::Kind::kText) add("", cell.text);
  if (cell.kind == Cell::Kind::kNumber) add("", FormatExact(cell.value));
  if (cell.spread) add("_std", FormatExact(*cell.spread));
  if (cell.interval) {
    add("_low", FormatExact(cell.interval->low));
    add("_high", FormatExact(cell.interval->high));
    add("_n", std::to_string(cell.interval->n));
  }
  if (cell.bold) add("_bold", "1");
  if (cell.coverage) {
    add("_runs", std::to_string(cell.coverage->scored));
    add("_of", std::to_string(cell.coverage->expected));
    add("_diverged", std::to_string(cell.coverage->diverged));
    if (LooksComplete(*cell.coverage)) add("_others_lack", "1");
  }
  if (!cell.chosen.empty()) {
    add("_tried", std::to_string(cell.tried));
    add("_chosen", cell.chosen);
  }
  if (cell.published) add("_published", FormatExact(*cell.published));
  if (cell.published_spread) add("_published_std", FormatExact(*cell.published_spread));
  if (cell.published && cell.kind == Cell::Kind::kNumber && cell.judged) {
    add("_difference", FormatExact(cell.Difference()));
  }
  if (!cell.published_text.empty()) {
    add("_published", cell.published_text);
    if (cell.kind == Cell::Kind::kText) add("_agrees", cell.agrees ? "1" : "0");
  }
  return parts;
}

Json CellToJson(const Cell& cell) {
  Json json = Json::object();
  if (cell.kind == Cell::Kind::kText) json["text"] = cell.text;
  if (cell.kind == Cell::Kind::kNumber) {
    json["value"] = cell.value;
    json["decimals"] = cell.decimals;
  }
  if (cell.spread) json["std"] = *cell.spread;
  if (cell.interval) {
    json["low"] = cell.interval->low;
    json["high"] = cell.interval->high;
    json["n"] = cell.interval->n;
    json["decimals"] = cell.decimals;
  }
  if (cell.bold) json["bold"] = true;
  if (cell.coverage) {
    json["runs"] = cell.coverage->scored;
    json["of"] = cell.coverage->expected;
    json["diverged"] = cell.coverage->diverged;
    if (LooksComplete(*cell.coverage)) json["others_lack"] = true;
  }
  if (!cell.chosen.empty()) {
    json["tried"] = cell.tried;
    json["chosen"] = cell.chosen;
  }
  if (cell.published) json["published"] = *cell.published;
  if (cell.published_spread) json["published_std"] = *cell.published_spread;
  if (cell.published && cell.kind == Cell::Kind::kNumber && cell.judged) {
    json["difference"] = cell.Difference();
    json["compared"] = cell.ComparedWithPublished();
  }
  if (!cell.published_text.empty()) {
    json["published"] = cell.published_text;
    if (cell.kind == Cell::Kind::kText) json["agrees"] = cell.agrees;
  }
  return json;
}

// Does a spreadsheet take the text for a formula, once the apostrophes before it are gone? Japanese
// ones know the full-width characters, too.
bool BeginsFormula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  static constexpr std::string_view kBeginnings[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                                     "\n", "＝", "＋", "－", "＠"};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// Is the text a number with a sign, such as -1, +0.5 or -2e-3?
bool IsSignedNumber(std::string_view text) {
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  text.remove_prefix(1);
  const bool has_digit =
      !text.empty() && std::string_view(".0123456789").find(text[0]) != text.npos;
  return has_digit && ParseNumber<double>(text).has_value();
}

}  // namespace

std::string CoverageText(const Cell& cell) {
  if (!cell.coverage) return "";
  const Coverage& coverage = *cell.coverage;
  std::string text;
  if (!coverage.IsComplete()) {
    text = fmt::format("{}/{}", coverage.scored, coverage.expected);
  } else if (coverage.expected > 0) {
    text = fmt::format("n = {}", coverage.scored);
  }
  if (coverage.diverged > 0) {
    text += fmt::format("{}{} diverged", text.empty() ? "" : ", ", coverage.diverged);
  }
  if (cell.tried > 1) {
    text += fmt::format("{}{} settings", text.empty() ? "" : ", ", cell.tried);
  }
  return text;
}

std::string FormatFixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string FormatExact(double value) {
  if (!std::isfinite(value)) return "";
  // Counts without the exponent that fmt would give large ones.
  if (value == std::floor(value) && std::abs(value) < 0x1p53) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string CsvField(const std::string& text) {
  // After an apostrophe a spreadsheet takes it for the text that it is.
  const std::string shown = BeginsFormula(text) && !IsSignedNumber(text) ? "'" + text : text;
  if (shown.find_first_of(",\"\n\r") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string CsvLine(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) line += ',';
    line += CsvField(text);
  }
  return line;
}

std::string FormatMarkdown(const Table& table) {
  std::string text = fmt::format("{}\n\n|", MarkdownEscaped(table.caption));
  for (const Column& column : table.columns) {
    const std::string title =
        column.group.empty() ? column.title : column.group + ": " + column.title;
    text += fmt::format(" {} |", MarkdownEscaped(title));
  }
  text += "\n|";
  for (const Column& column : table.columns) text += column.left ? "---|" : "---:|";
  text += "\n";
  for (const Row& row : table.rows) {
    text += "|";
    for (const Cell& cell : row.cells)
      text += fmt::format(" {} |", MarkdownCell(cell, table.published_label));
    text += "\n";
  }
  for (const std::string& note : table.notes) text += "\n" + MarkdownEscaped(note) + "\n";
  return text;
}

std::string FormatCsv(const Table& table) {
  // The suffixes that each column needs: a union, in the order in which they were met.
  std::vector<std::vector<std::string>> suffixes(table.columns.size());
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      for (const auto& [suffix, text] : CsvParts(row.cells[i])) {
        auto& known = suffixes[i];
        if (std::find(known.begin(), known.end(), suffix) == known.end()) known.push_back(suffix);
      }
    }
  }
  static const std::vector<std::string> order = {
      "",           "_std",           "_low",        "_high",
      "_n",         "_bold",          "_runs",       "_of",
      "_diverged",  "_others_lack",   "_tried",      "_chosen",
      "_published", "_published_std", "_difference", "_agrees"};
  std::vector<std::string> head;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<std::string> sorted;
    for (const std::string& suffix : order) {
      const auto& known = suffixes[i];
      if (std::find(known.begin(), known.end(), suffix) != known.end()) sorted.push_back(suffix);
    }
    if (sorted.empty()) sorted.emplace_back();
    suffixes[i] = sorted;
    for (const std::string& suffix : sorted) head.push_back(table.columns[i].key + suffix);
  }
  std::string text = CsvLine(head) + "\n";
  for (const Row& row : table.rows) {
    std::vector<std::string> line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto parts = CsvParts(row.cells[i]);
      for (const std::string& suffix : suffixes[i]) {
        const auto part = std::find_if(parts.begin(), parts.end(),
                                       [&](const auto& one) { return one.first == suffix; });
        line.push_back(part == parts.end() ? "" : part->second);
      }
    }
    text += CsvLine(line) + "\n";
  }
  return text;
}

namespace {

Cell CellFromJson(const JsonValue& json) {
  Cell cell;
  const auto value = json.MaybeNumber("value"), low = json.MaybeNumber("low");
  if (const auto text = json.Find("text")) {
    if (value) json.Fail("a cell has a text or a value, not both");
    cell = Cell::Text(text->AsString("text"));
  } else if (value) {
    cell = Cell::Number(*value);
  }
  constexpr std::uint64_t kMostDecimals = 17;
  const std::uint64_t decimals = json.CountOr("decimals", 2);
  if (decimals > kMostDecimals) json.Fail(fmt::format("'decimals' is {}, over 17", decimals));
  cell.decimals = static_cast<int>(decimals);
  cell.spread = json.MaybeNumber("std");
  if (low) cell.interval = Interval{*low, json.Number("high"), json.Count("n")};
  cell.bold = json.Truth("bold");
  return cell;
}

Table TableFromJson(const JsonValue& json) {
  Table table;
  table.name = json.String("table");
  const char* const kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  if (table.name.empty() || table.name.find_first_not_of(kLetters) != std::string::npos) {
    json.Fail(fmt::format("'table' is {}", Quoted(table.name)),
              "expected lower-case letters, digits, - and _, as it names files");
  }
  table.caption = json.String("caption");
  std::set<std::string> keys;
  for (const JsonValue& column : json.Array("columns")) {
    table.columns.push_back({column.String("key"), column.String("title"),
                             column.StringOr("group", ""), column.Truth("left")});
    if (!keys.insert(table.columns.back().key).second) {
      json.Fail(fmt::format("two columns have the key {}", Quoted(table.columns.back().key)));
    }
  }
  if (table.columns.empty()) json.Fail("'columns' is empty");
  for (const JsonValue& row : json.Array("rows")) {
    Row& cells = table.rows.emplace_back();
    row.ForEach([&](std::string_view key, const JsonValue&) {
      if (key != "rule_above" && !keys.contains(std::string(key))) {
        json.Fail(fmt::format("a row has {}, which is no column", Quoted(key)));
      }
    });
    cells.rule_above = row.Truth("rule_above");
    for (const Column& column : table.columns) {
      const auto cell = row.Find(column.key);
      cells.cells.push_back(cell ? CellFromJson(*cell) : Cell());
    }
  }
  if (json.Find("notes")) table.notes = json.Strings("notes");
  return table;
}

}  // namespace

std::vector<Table> ReadTables(const std::filesystem::path& dir) {
  if (!std::filesystem::is_directory(dir)) throw InputError(dir, "is not a directory");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Table> tables;
  JsonReader reader;
  for (const std::filesystem::path& file : files) {
    tables.push_back(TableFromJson(reader.Read(file)));
  }
  return tables;
}

Json TableToJson(const Table& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"key", column.key}, {"title", column.title}, {"group", column.group}});
    if (!column.family.empty()) columns.back()["family"] = column.family;
  }
  for (const Row& row : table.rows) {
    Json cells = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      cells[table.columns[i].key] = CellToJson(row.cells[i]);
    }
    rows.push_back(std::move(cells));
  }
  Json json = {{"table", table.name},  {"caption", table.caption},
               {"columns", columns},   {"rows", rows},
               {"notes", table.notes}, {"published_label", table.published_label}};
  if (!table.figures.empty()) json["figures"] = table.figures;
  return json;
}

void WriteTable(const Table& table, const std::filesystem::path& folder, OutputFolder& out) {
  const std::string stem = folder / table.name;
  out.Write(stem + ".md", FormatMarkdown(table));
  const bool is_alone = folder.empty() || folder == "tables";
  const std::string label = is_alone ? table.name : (folder.filename() / table.name).string();
  out.Write(stem + ".tex", FormatLatex(table, label));
  out.Write(stem + ".csv", FormatCsv(table));
  out.Write(stem + ".json", JsonText(TableToJson(table)));
}

}  // namespace flare::report
