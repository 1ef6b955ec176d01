// What results/ and the documents show of our runs is what the records give: made again with the
// program, and the main table also from the rows of runs.csv alone.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/report/table_formats.h"
#include "flare/report/titles.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = SourceDir();

// The folders of results/ that keep records.
std::vector<fs::path> KeptResults() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kSource / "results")) {
    if (fs::exists(entry.path() / "records")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What is between two separators; those in quotes do not count.
std::vector<std::string> FieldsOf(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

using CsvRow = std::map<std::string, std::string>;

std::vector<CsvRow> ReadCsv(const fs::path& file) {
  const std::vector<std::string> lines = LinesOf(ReadFile(file));
  const std::vector<std::string> names = FieldsOf(lines.at(0), ',');
  std::vector<CsvRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = FieldsOf(lines[i], ',');
    EXPECT_EQ(fields.size(), names.size()) << file << ": " << lines[i].substr(0, 80);
    CsvRow& row = rows.emplace_back();
    for (std::size_t j = 0; j < names.size(); ++j) row[names[j]] = fields[j];
  }
  return rows;
}

// The rows of a Markdown table.
std::vector<std::string> TableRows(const std::string& markdown) {
  std::vector<std::string> rows = LinesOf(markdown);
  std::erase_if(rows, [](const std::string& line) { return !line.starts_with("|"); });
  return rows;
}

// What stands under it, from the first line that is not empty to the last.
std::vector<std::string> TableNotes(const std::string& markdown) {
  std::vector<std::string> lines = LinesOf(markdown);
  const auto is_row = [](const std::string& line) { return line.starts_with("|"); };
  lines.erase(lines.begin(), std::find_if(lines.rbegin(), lines.rend(), is_row).base());
  const auto is_text = [](const std::string& line) { return !line.empty(); };
  lines.erase(lines.begin(), std::find_if(lines.begin(), lines.end(), is_text));
  lines.erase(std::find_if(lines.rbegin(), lines.rend(), is_text).base(), lines.end());
  return lines;
}

std::map<std::string, std::string> FilesOf(const fs::path& folder, const std::string& extension) {
  std::map<std::string, std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != extension) continue;
    files[fs::relative(entry.path(), folder)] = ReadFile(entry.path());
  }
  return files;
}

// A folder with a program that makes what it shows from the runs.csv of a report.
bool MakesItself(const fs::path& results) { return fs::exists(results / "make"); }

void ExpectMadeAgain(const fs::path& results, const fs::path& report, const fs::path& to) {
  const ShellResult made = RunShell(fmt::format("{}/make {} {}/runs.csv {}", results.string(),
                                                FlareProgram(), report.string(), to.string()));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(to)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), to);
    ASSERT_TRUE(fs::exists(results / name)) << name << ": make results";
    EXPECT_TRUE(ReadFile(results / name) == ReadFile(entry.path())) << name << ": make results";
    ++files;
  }
  EXPECT_GT(files, 3u);
}

class ResultsOf : public testing::TestWithParam<fs::path> {};

std::string NameOf(const testing::TestParamInfo<fs::path>& folder) {
  std::string name = folder.param.filename();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kept, ResultsOf, testing::ValuesIn(KeptResults()), NameOf);

TEST_P(ResultsOf, AreWhatTheRecordsGive) {
  const fs::path& results = GetParam();
  const TemporaryDirectory directory;
  const fs::path report = directory.path() / "report";
  const ShellResult made = RunShell(fmt::format("{}/scripts/report-of-records {} records {}",
                                                SourceDir(), FlareProgram(), report.string()),
                                    results);
  ASSERT_EQ(made.exit_code, 0) << made.output;
  if (MakesItself(results)) return ExpectMadeAgain(results, report, directory.path() / "again");
  const auto expect = [&](const char* folder, const char* extension) {
    const auto ours = FilesOf(results / folder, extension);
    const auto again = FilesOf(report / folder, extension);
    for (const auto& [name, text] : again) {
      ASSERT_TRUE(ours.contains(name)) << folder << "/" << name << ": make results";
      // Not EXPECT_EQ: a difference of figures is not worth reading.
      EXPECT_TRUE(ours.at(name) == text) << folder << "/" << name << ": make results";
    }
    EXPECT_EQ(ours.size(), again.size()) << folder;
  };
  expect("tables", ".md");
  expect("figures", ".svg");
  // Without the rows of runs that are not done yet.
  std::string runs;
  for (const std::string& line : LinesOf(ReadFile(report / "runs.csv"))) {
    const std::string state = FieldsOf(line, ',').at(6);
    if (state != "waiting") runs += line + "\n";
  }
  EXPECT_TRUE(ReadFile(results / "runs.csv") == runs) << "make results";
}

// The test accuracies of a language and a variant: of a block of the main table, the mean of the
// loss with the highest, or the maximum.
struct Scores {
  std::map<std::string, std::map<std::string, std::vector<double>>> by_validation;  // then by loss

  std::string Best(const std::string& block) const {
    const bool is_max = block == "Expressivity";
    const std::string validation = is_max                      ? "long"
                                   : block == "Inductive Bias" ? "short"
                                                               : block.substr(block.find(' ') + 1);
    double best = -1;
    const auto found = by_validation.find(validation);
    if (found == by_validation.end()) return "";
    for (const auto& [loss, values] : found->second) {
      double sum = 0;
      for (const double value : values) sum += value;
      best = std::max(best, is_max ? *std::max_element(values.begin(), values.end())
                                   : sum / static_cast<double>(values.size()));
    }
    return best < 0 ? "" : FormatFixed(best, 2);
  }
};

// The runs of trials that are done at every point of the grid; all runs, if there is no such trial.
std::vector<CsvRow> RunsOfWholeTrials(const fs::path& results) {
  const Json study = Json::parse(ReadFile(results / "records/sweep.json"));
  const std::size_t points =
      study["runs"].get<std::size_t>() / study["grid"]["trials"].get<std::size_t>();
  std::vector<CsvRow> runs = ReadCsv(results / "runs.csv");
  std::map<std::string, std::size_t> counts;
  for (const CsvRow& run : runs) ++counts[run.at("trial")];
  const auto is_whole = [&](const auto& counted) { return counted.second == points; };
  if (std::none_of(counts.begin(), counts.end(), is_whole)) return runs;
  std::erase_if(runs, [&](const CsvRow& run) { return counts.at(run.at("trial")) != points; });
  return runs;
}

// The name of the column that a variant counts in: of those that differ in the learning rate only,
// one.
std::string ColumnOf(const std::string& variant) {
  return VariantTitle(std::regex_replace(variant, std::regex(",learning_rate=[^,]*"), ""), true);
}

// Of the variants of a column, the one with the lowest mean validation cross-entropy, on a language
// and with a validation set: the sweeps that are kept vary learning rates with one loss only.
std::vector<CsvRow> ChosenByValidation(std::vector<CsvRow> runs) {
  const auto mean_of = [&](const CsvRow& like) {
    double sum = 0, n = 0;
    for (const CsvRow& run : runs) {
      if (run.at("variant") != like.at("variant") || run.at("language") != like.at("language") ||
          run.at("validation") != like.at("validation") || run.at("loss") != like.at("loss")) {
        continue;
      }
      sum += std::stod(run.at("best_validation_recognition_cross_entropy"));
      ++n;
    }
    return sum / n;
  };
  std::map<std::string, double> least;
  const auto key_of = [](const CsvRow& run) {
    return fmt::format("{}/{}/{}/{}", run.at("language"), ColumnOf(run.at("variant")),
                       run.at("loss"), run.at("validation"));
  };
  std::vector<CsvRow> chosen;
  std::vector<double> means;
  for (const CsvRow& run : runs) {
    means.push_back(mean_of(run));
    const auto [at, is_new] = least.try_emplace(key_of(run), means.back());
    at->second = std::min(at->second, means.back());
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (means[i] <= least.at(key_of(runs[i])) + 1e-12) chosen.push_back(runs[i]);
  }
  return chosen;
}

// By the language's title and the architecture's abbreviation.
std::map<std::pair<std::string, std::string>, Scores> ScoresOf(const std::vector<CsvRow>& runs) {
  std::map<std::pair<std::string, std::string>, Scores> scores;
  for (const CsvRow& run : runs) {
    const std::string& accuracy = run.at("test_accuracy");
    if (accuracy.empty()) continue;
    Scores& ours = scores[{LanguageTitle(run.at("language")), ColumnOf(run.at("variant"))}];
    ours.by_validation[run.at("validation")][run.at("loss")].push_back(std::stod(accuracy));
  }
  return scores;
}

TEST(Results, TheMainTableFollowsFromTheRuns) {
  std::size_t cells = 0;
  for (const fs::path& results : KeptResults()) {
    if (MakesItself(results)) continue;  // it has no main table
    std::vector<CsvRow> runs = RunsOfWholeTrials(results);
    std::erase_if(runs, [](const CsvRow& run) { return run.at("budget") != "64000"; });
    if (runs.empty()) continue;  // of other sizes, metrics and axes
    const auto scores = ScoresOf(ChosenByValidation(runs));
    const auto rows = TableRows(ReadFile(results / "tables/main.md"));
    const std::vector<std::string> head = FieldsOf(rows.at(0), '|');
    for (std::size_t i = 2; i < rows.size(); ++i) {
      const std::vector<std::string> fields = FieldsOf(rows[i], '|');
      const std::string language = fields.at(1).substr(1, fields[1].size() - 2);
      for (std::size_t j = 2; j < fields.size(); ++j) {
        static const std::regex kHead(" (Inductive Bias|Expressivity|Validation [a-z]+): (.*) ");
        static const std::regex kValue(" \\**([0-9.]+)\\**( .*)?");
        std::smatch column, value;
        if (!std::regex_match(head.at(j), column, kHead)) continue;
        // Markdown escapes the underscore of learning_rate.
        static const std::regex kEscaped(R"(\\_)");
        const auto found =
            scores.find({language, std::regex_replace(column[2].str(), kEscaped, "_")});
        const bool has_value = std::regex_match(fields[j], value, kValue);
        const std::string ours = found == scores.end() ? "" : found->second.Best(column[1]);
        EXPECT_EQ(has_value ? value[1].str() : "", ours)
            << results << ": " << language << head[j] << fields[j];
        cells += has_value ? 1 : 0;
      }
    }
  }
  EXPECT_GT(cells, 0u);
}

// Ours, the number of its runs, and the paper's: "**0.93** ± 0.18 (4/10) · paper 0.93 ± 0.01 =" as
// "**0.93** [4] (0.93)".
std::string Brief(const std::string& row) {
  std::string text;
  for (const std::string& field : FieldsOf(row.substr(1, row.size() - 2), '|')) {
    static const std::regex kCell(
        " (\\**[0-9.]+\\**)?( ± [0-9.]+)? ?\\((?:n = )?([0-9]+)[^)]*\\) · paper ([0-9.]+).* ");
    std::smatch cell;
    if (std::regex_match(field, cell, kCell)) {
      const std::string ours =
          cell[1].matched ? fmt::format("{} [{}]", cell[1].str(), cell[3].str()) : "–";
      text += fmt::format("| {} ({}) ", ours, cell[4].str());
    } else {
      text += "|" + field;
    }
  }
  return text + "|";
}

TEST(Results, TheDocumentsShowTheTables) {
  std::size_t blocks = 0;
  std::vector<fs::path> documents = {"README.md", "docs/background/results.md"};
  for (const auto& entry : fs::directory_iterator(kSource / "results")) {
    if (fs::exists(entry.path() / "README.md")) {
      documents.push_back(fs::relative(entry.path() / "README.md", kSource));
    }
  }
  for (const fs::path& document : documents) {
    const std::vector<std::string> lines = LinesOf(ReadFile(kSource / document));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      static const std::regex kBlock("<!-- (results/.*\\.md)( brief| notes)? -->");
      std::smatch block;
      if (!std::regex_match(lines[i], block, kBlock)) continue;
      const fs::path folder = (kSource / block[1].str()).parent_path().parent_path();
      if (MakesItself(folder) && !fs::exists(folder / "records")) continue;  // not trained yet
      ++blocks;
      const std::string table = ReadFile(kSource / block[1].str());
      std::vector<std::string> shown, given = TableRows(table);
      while (++i < lines.size() && lines[i] != "<!-- end -->") shown.push_back(lines[i]);
      if (block[2] == " brief") std::transform(given.begin(), given.end(), given.begin(), Brief);
      if (block[2] == " notes") given = TableNotes(table);
      EXPECT_EQ(shown, given) << document << ": " << block[1] << ": make results";
    }
  }
  EXPECT_GT(blocks, 0u);
}

}  // namespace
}  // namespace flare::report
