// What results/ and the documents say about our runs follows from results/*/runs.csv, recomputed
// here from its rows alone.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "flare/base/file.h"
#include "flare/report/names.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = FLARE_SOURCE_DIR;

using CsvRow = std::map<std::string, std::string>;

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<CsvRow> ReadCsv(const fs::path& file) {
  std::istringstream lines(ReadFile(file));
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = Fields(line);
  std::vector<CsvRow> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = Fields(line);
    EXPECT_EQ(fields.size(), names.size()) << file << ": " << line.substr(0, 80);
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

// Mean or maximum of the test accuracies, as the paper's Table 2 takes them.
struct Scores {
  std::map<std::string, std::vector<double>> short_by_loss;
  std::vector<double> long_all;
};

// By the language's title and the architecture.
std::map<std::pair<std::string, std::string>, Scores> ScoresOf(const std::vector<CsvRow>& runs) {
  std::map<std::pair<std::string, std::string>, Scores> scores;
  for (const CsvRow& run : runs) {
    const std::string& accuracy = run.at("test_accuracy");
    Scores& ours = scores[{LanguageTitle(run.at("language")), run.at("architecture")}];
    if (accuracy.empty()) continue;
    if (run.at("validation") == "short") {
      ours.short_by_loss[run.at("loss")].push_back(std::stod(accuracy));
    } else {
      ours.long_all.push_back(std::stod(accuracy));
    }
  }
  return scores;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void ExpectNumber(const std::string& text, double expected, const std::string& what) {
  ASSERT_FALSE(text.empty()) << what;
  EXPECT_NEAR(std::stod(text), expected, 1e-12) << what;
}

void ExpectMainTableFollows(const fs::path& results) {
  const auto scores = ScoresOf(ReadCsv(results / "runs.csv"));
  std::size_t cells = 0;
  for (const CsvRow& row : ReadCsv(results / "tables" / "main.csv")) {
    for (const std::string architecture : {"rnn", "lstm", "transformer"}) {
      const std::string what = row.at("language") + " " + architecture;
      const Scores& ours = scores.at({row.at("language"), architecture});
      if (!ours.short_by_loss.empty()) {
        double best = 0;
        for (const auto& [loss, values] : ours.short_by_loss) best = std::max(best, Mean(values));
        ExpectNumber(row.at("inductive_bias_" + architecture), best, what);
        ++cells;
      }
      if (!ours.long_all.empty()) {
        ExpectNumber(row.at("expressivity_" + architecture),
                     *std::max_element(ours.long_all.begin(), ours.long_all.end()), what);
        ++cells;
      }
    }
  }
  EXPECT_GT(cells, 0u);
}

// The rows of a Markdown table.
std::vector<std::string> TableRows(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|")) rows.push_back(line);
  }
  return rows;
}

TEST(Results, TheMainTableFollowsFromTheRuns) { ExpectMainTableFollows(kSource / "results/0.1"); }

// The whole grid paper-mini, and as many others as the document says.
TEST(Results, TheDocumentSaysHowManyRunsThereAre) {
  std::size_t mini = 0, further = 0;
  for (const CsvRow& run : ReadCsv(kSource / "results/0.1/runs.csv")) {
    if (run.at("state") != "finished" && run.at("state") != "diverged") continue;
    ++(run.at("loss") == "rec" && run.at("trial") == "1" ? mini : further);
  }
  EXPECT_EQ(mini, 108u);
  const std::string document = ReadFile(kSource / "docs/results.md");
  EXPECT_NE(document.find(fmt::format("{} further runs", further)), std::string::npos) << further;
}

TEST(Results, TheDocumentShowsTheTables) {
  const std::string document = ReadFile(kSource / "docs/results.md");
  for (const char* table : {"main", "cost"}) {
    const std::string file = fmt::format("results/0.1/tables/{}.md", table);
    for (const std::string& row : TableRows(ReadFile(kSource / file))) {
      EXPECT_NE(document.find(row), std::string::npos) << file << ": " << row;
    }
  }
}

// README: ours, and the paper's in parentheses.
TEST(Results, TheReadmeShowsTheSameNumbers) {
  const std::string readme = ReadFile(kSource / "README.md");
  for (const CsvRow& row : ReadCsv(kSource / "results/0.1/tables/main.csv")) {
    std::string line = "| " + row.at("language") + " |";
    for (const std::string experiment : {"inductive_bias_", "expressivity_"}) {
      for (const std::string architecture : {"transformer", "rnn", "lstm"}) {
        const std::string key = experiment + architecture;
        const std::string mark =
            row.contains(key + "_bold") && row.at(key + "_bold") == "1" ? "**" : "";
        const std::string ours =
            row.at(key).empty() ? "–" : fmt::format("{:.2f}", std::stod(row.at(key)));
        line +=
            fmt::format(" {0}{1}{0} ({2:.2f}) |", mark, ours, std::stod(row.at(key + "_paper")));
      }
    }
    line += fmt::format(" {:.2f} |", std::stod(row.at("format_only")));
    EXPECT_NE(readme.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace flare::report
