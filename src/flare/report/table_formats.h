// A table as text. Markdown rounds for people, as LaTeX does (latex.h); CSV and JSON keep every
// digit.

#ifndef FLARE_REPORT_TABLE_FORMATS_H_
#define FLARE_REPORT_TABLE_FORMATS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/report/output_folder.h"
#include "flare/report/table.h"

namespace flare::report {

std::string FormatMarkdown(const Table& table);
// A column for each part of a cell: its value, and as far as any cell of the column has them
// _std, _low, _high, _n, _bold, _runs, _of, _diverged, _published, _published_std, _difference.
std::string FormatCsv(const Table& table);
Json TableToJson(const Table& table);
// The tables DIR/*.json, in the order of their names: what TableToJson() writes, or another program
// in the same form (docs/reference/report.md, "Tables of your own"). Throws InputError.
std::vector<Table> ReadTables(const std::filesystem::path& dir);
// Writes a table in all four formats: FOLDER/NAME.md, .tex, .csv and .json.
void WriteTable(const Table& table, const std::filesystem::path& folder, OutputFolder& out);

// The number with this many decimals; a minus sign only if something but zeros follows it.
std::string FormatFixed(double value, int decimals);
// Every digit: the shortest text that reads back as the same number.
std::string FormatExact(double value);
// Text as a field of a CSV file, quoted if it must be. A spreadsheet would take text that begins
// with = + - or @ for a formula, so it gets an apostrophe before it (OWASP, "CSV injection"),
// unless it is a number. So does text that has apostrophes before such a character, so that no two
// texts become the same field.
std::string CsvField(const std::string& text);
// Fields joined by commas, without the end of the line.
std::string CsvLine(const std::vector<std::string>& texts);
// Says how many runs a cell summarizes: "7/10, 1 diverged", or "n = 10" if that is all. "10/10" has
// all runs of its loss, and other losses lack some.
std::string CoverageText(const Cell& cell);

}  // namespace flare::report

#endif  // FLARE_REPORT_TABLE_FORMATS_H_
