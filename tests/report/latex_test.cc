// LaTeX itself sets every table and figure of a report, in the width of an ordinary article.

#include "flare/report/latex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/languages/catalog.h"
#include "flare/report/plot.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/installed.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// In so many rounds: tables need two, for references and for the widths of long ones. Complains
// about whatever LaTeX does.
void Typeset(const fs::path& folder, const std::string& file, int rounds) {
  ShellResult result;
  for (int round = 0; round < rounds; ++round) {
    result = RunShell(
        "max_print_line=1000 pdflatex -interaction=nonstopmode -halt-on-error " + file, folder);
    ASSERT_EQ(result.exit_code, 0) << result.output.substr(result.output.size() / 2);
  }
  std::string complaints;
  for (const std::string_view line : Lines(result.output)) {
    for (const char* fault : {"Overfull", "undefined", "multiply", "too large", "Missing char"}) {
      if (line.find(fault) != line.npos) complaints += std::string(line) + "\n";
    }
  }
  EXPECT_EQ(complaints, "");
}

// Sets all tables of a report in an article that has only the packages that they ask for. Returns
// how many there are.
std::size_t TypesetTables(const fs::path& report) {
  static const std::regex package(R"(\\usepackage\{([a-z]+)\})");
  static const std::set<std::string> allowed = {"booktabs", "graphicx", "multirow", "amsmath",
                                                "amssymb",  "xcolor",   "rotating", "longtable"};
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(report / "tables")) {
    if (entry.path().extension() == ".tex") files.insert(entry.path());
  }
  std::set<std::string> packages;
  std::string body;
  for (const fs::path& file : files) {
    const std::string text = ReadFile(file);
    const std::string head = text.substr(0, text.find('\n'));
    for (std::sregex_iterator at(head.begin(), head.end(), package), end; at != end; ++at) {
      EXPECT_TRUE(allowed.contains((*at)[1])) << file << ": " << head;
      packages.insert((*at)[1]);
    }
    EXPECT_THAT(text, HasSubstr("\\caption{")) << file;
    EXPECT_THAT(text, HasSubstr("\\label{tab:")) << file;
    body += "\\input{" + fs::relative(file, report).string() + "}\\clearpage\n";
  }
  std::string document = "\\documentclass{article}\n";
  for (const std::string& name : packages) document += "\\usepackage{" + name + "}\n";
  WriteFile(report / "tables.tex", document + "\\begin{document}\n" + body + "\\end{document}\n");
  Typeset(report, "tables.tex", 2);
  return files.size();
}

// Of every built-in language.
TEST(Latex, SetsTables) {
  if (!Installed("pdflatex")) GTEST_SKIP() << "pdflatex is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  FakeGrid grid{.languages = {"[3pt] 50%_{strange}~^\\ & #1", "größe 偶数", "regex:(ab|ba)*a?b?"},
                .losses = {"rec", "rec+ns"},
                .budgets = {32'000, 64'000},
                .trials = 1};
  for (const CatalogEntry& entry : Catalog()) grid.languages.push_back(entry.name);
  FakeSweep fake(out, grid);
  for (const std::string& language : grid.languages) {
    fake.AddBaselines(language, 0.75, 0.5, 0.625);
    for (const std::string& variant : grid.variants) {
      for (const std::string& validation : grid.validations) {
        fake.Add({.language = language,
                  .variant = variant,
                  .validation = validation,
                  .test = 0.75,
                  .next_symbol_accuracy = {{0.5, 0.25}},
                  .counts_errors = true});
      }
    }
  }
  WriteReport({out}, to);
  EXPECT_GE(TypesetTables(to), 8 + grid.languages.size());
}

// Every kind of figure, those over two settings too. Those of two languages differ in their titles
// and numbers only, and each takes LaTeX half a second.
TEST(Latex, SetsFigures) {
  if (!Installed("pdflatex")) GTEST_SKIP() << "pdflatex is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  const FakeGrid grid{.languages = {"[3pt] 50%_{größe 偶数}~^\\ & #1", "anbncn"},
                      .variants = {"rnn,dropout=0.2,layers=1", "rnn,dropout=0.2,layers=2",
                                   "rnn,dropout=0.3,layers=1", "rnn,dropout=0.3,layers=2", "lstm"},
                      .losses = {"rec"},
                      .trials = 1};
  WritePlausibleSweep(out, grid, true);
  WriteReport({out}, to);
  Typeset(to / "figures", "all.tex", 1);
}

// A network that is right about everything, beside lines and other networks that are far above it.
TEST(Latex, SetsFiguresOfTinyNumbers) {
  if (!Installed("pdflatex")) GTEST_SKIP() << "pdflatex is not installed";
  const TemporaryDirectory directory;
  const double tiny = 3e-14;
  const Plot plot{
      .title = "tiny",
      .x_title = "length",
      .y_title = "cross-entropy",
      .series = {{"LSTM", LookAt(2), {{0, tiny, -tiny, 2 * tiny}, {10, tiny, 0, tiny}}}},
      .vertical_lines = {500'000},
      .horizontal_lines = {{0.7, "log 2"}}};
  const PgfPlot pgf = FormatPgf(plot, "tiny");
  for (const auto& [file, text] : pgf.data) WriteFile(directory.path() / file, text);
  WriteFile(directory.path() / "tiny.tex",
            "\\documentclass{article}\\usepackage{pgfplots}\\usepgfplotslibrary{fillbetween}"
            "\\pgfplotsset{compat=1.16}\\newcommand{\\flarefigures}{.}\\begin{document}" +
                pgf.tex + "\\end{document}\n");
  Typeset(directory.path(), "tiny.tex", 1);
}

// Twelve variants with long labels, six of them with settings, on more languages than a page has
// lines.
TEST(Latex, SetsWideAndLongTables) {
  if (!Installed("pdflatex")) GTEST_SKIP() << "pdflatex is not installed";
  const TemporaryDirectory directory;
  const fs::path out = directory.path() / "out", to = directory.path() / "report";
  FakeGrid grid{.variants = {"rnn", "lstm", "gru", "transformer", "rnn,layers=2", "gru,layers=2",
                             "lstm,layers=2", "lstm,layers=3", "lstm,dropout=0.5,layers=3",
                             "transformer,layers=7", "transformer,dropout=0.5"},
                .losses = {"rec"},
                .trials = 1,
                .report = {}};
  grid.labels["transformer,dropout=0.5"] = "Transformer with half of its units dropped";
  grid.languages.clear();
  for (int i = 0; i < 70; ++i)
    grid.languages.push_back("subregular-04.03.TLTT." + std::to_string(i));
  FakeSweep fake(out, grid);
  for (const std::string& language : grid.languages) {
    for (const std::string& variant : grid.variants) {
      fake.Add({.language = language, .variant = variant, .test = 0.75});
    }
  }
  WriteReport({out}, to);
  EXPECT_THAT(ReadFile(to / "tables/main.tex"), HasSubstr("{longtable}"));
  for (const auto& entry : fs::directory_iterator(to / "tables/full")) {
    if (entry.path().stem() != "subregular-04-03-TLTT-7") fs::remove(entry.path());
  }
  TypesetTables(to);
}

TEST(Latex, HasTextForEveryCharacter) {
  EXPECT_EQ(LatexEscaped("a_b & 50%"), "a\\_b \\& 50\\%");
  EXPECT_EQ(LatexEscaped("aⁿbⁿ"), "a\\ensuremath{^n}b\\ensuremath{^n}");
  EXPECT_EQ(LatexEscaped("größe"), "größe");
  EXPECT_EQ(LatexEscaped("偶"), "\\ifdefined\\Umathcode 偶\\else\\texttt{U+5076}\\fi{}");
  EXPECT_EQ(LatexEscaped("[x"), "{}[x");
  EXPECT_EQ(LatexEscaped("\xff"), LatexEscaped("\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace flare::report
