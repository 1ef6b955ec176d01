// Names may hold anything: what is written for spreadsheets, Markdown and pictures treats them as
// text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "flare/languages/source.h"
#include "flare/report/automaton_svg.h"
#include "flare/report/plot.h"
#include "flare/report/report.h"
#include "flare/report/run_files.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "support/fake_sweep.h"
#include "support/page_document.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Cell, AProbabilityIsNotShownAsZero) {
  const auto shown = [](double p) {
    const Cell cell = Cell::Probability(p);
    return FormatFixed(cell.value, cell.decimals);
  };
  EXPECT_EQ(shown(0.0123), "0.0123");
  EXPECT_EQ(shown(1), "1.0000");
  EXPECT_EQ(shown(0.00004), "0.00004");
  EXPECT_EQ(shown(7.6e-6), "0.00001");
  EXPECT_EQ(Cell::Probability(std::nullopt).kind, Cell::Kind::kEmpty);
}

namespace fs = std::filesystem;

TEST(Csv, TextIsNoFormula) {
  for (const std::string text : {"=1+2", "+x", "-x", "@SUM(A1)", "\tx", "-", "+-1", "-1+2", "-inf",
                                 "＝1+2", "'=1+2", "''-1", "'-1"}) {
    EXPECT_EQ(CsvField(text), "'" + text);
  }
  for (const std::string text : {"-1", "+0.5", "-2e-3", "-.5", "rec+lm", "'tis", "'", "''", ""}) {
    EXPECT_EQ(CsvField(text), text);
  }
  EXPECT_EQ(CsvField("=a,b"), "\"'=a,b\"");
  Table table{.name = "t",
              .caption = "",
              .columns = {{"a", "A", ""}, {"b", "B", ""}},
              .rows = {},
              .notes = {}};
  table.rows.push_back({{Cell::Text("=0.5"), Cell::Number(-0.5)}});
  EXPECT_EQ(FormatCsv(table), "a,b\n'=0.5,-0.5\n");
}

TEST(Markdown, HasNoHtmlOfNames) {
  Table table{.name = "t",
              .caption = "<script>alert(1)</script> & more",
              .columns = {{"a", "<b>A</b>", ""}},
              .rows = {},
              .notes = {"<img src=x>"}};
  table.rows.push_back({{Cell::Text("<i>|x")}});
  const std::string text = FormatMarkdown(table);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, HasSubstr("&lt;script>alert(1)&lt;/script> &amp; more"));
}

TEST(RunsCsv, NamesOfLanguagesAreNoFormulas) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.languages = {"=cmd"}, .trials = 1});
  fake.Add({.language = "=cmd"});
  WriteReport({fake.directory()}, directory.path() / "report");
  EXPECT_THAT(ReadFile(directory.path() / "report/runs.csv"), HasSubstr("\n'=cmd,rnn,"));
  EXPECT_THAT(ReadFile(directory.path() / "report/tables/main.csv"), HasSubstr("\n'=cmd,"));
}

// A report of the group A5 took a quarter of an hour to draw it.
TEST(AutomatonSvg, AutomataTooLargeToReadAreNotDrawn) {
  EXPECT_TRUE(CanBeDrawn(*ResolveLanguage("parity").language->dfa()));
  EXPECT_TRUE(CanBeDrawn(*ResolveLanguage("dyck-2-3").language->dfa()));
  EXPECT_TRUE(CanBeDrawn(*ResolveLanguage("group:S3").language->dfa()));
  EXPECT_FALSE(CanBeDrawn(*ResolveLanguage("group:A5").language->dfa()));
}

TEST(AutomatonSvg, DrawsSymbolsAsTheyAre) {
  const std::string svg = AutomatonSvg(CompileRegex("<&lt;>"), "a title");
  EXPECT_THAT(svg, HasSubstr("&amp;lt;"));
}

TEST(Plot, HasRoundTicks) {
  EXPECT_EQ(TicksUpTo(500), (std::vector<double>{0, 100, 200, 300, 400, 500}));
  EXPECT_EQ(TicksUpTo(3), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(TicksUpTo(40), (std::vector<double>{0, 10, 20, 30, 40}));
  EXPECT_EQ(TicksUpTo(1).size(), 6u);
}

TEST(Pictures, AreThereAsSvgAndPgfplots) {
  const TemporaryDirectory directory;
  WritePlausibleSweep(directory.path() / "out",
                      {.languages = {"parity", "a<b>&\"c\""}, .losses = {"rec"}, .trials = 1},
                      false);
  WriteReport({directory.path() / "out"}, directory.path() / "report");
  std::size_t pictures = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory.path() / "report/figures")) {
    if (entry.path().extension() != ".svg") continue;
    const std::string text = ReadFile(entry.path());
    ++pictures;
    EXPECT_TRUE(text.starts_with("<svg ") && text.ends_with("</svg>\n")) << entry.path();
    EXPECT_THAT(text, HasSubstr("fill=\"#ffffff\"")) << entry.path();
    EXPECT_THAT(text, Not(HasSubstr("a<b>"))) << entry.path();
    fs::path tex = entry.path();
    EXPECT_EQ(fs::exists(tex.replace_extension(".tex")), entry.path().stem() != "predicted") << tex;
  }
  // The hierarchy and what is predicted; four of parity, three of the other, which is not known to
  // be regular; of both, accuracy by length for two validation sets.
  EXPECT_EQ(pictures, 13u);
}

TEST(Pictures, HierarchyMarksClassesWithoutRuns) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({});
  WriteReport({fake.directory()}, directory.path() / "report");
  const std::string hierarchy = ReadFile(directory.path() / "report/figures/hierarchy.svg");
  EXPECT_THAT(hierarchy, HasSubstr("no run yet"));
  EXPECT_THAT(hierarchy, HasSubstr("#b9c0c8"));
}

// One value, two forms: every point is in both.
TEST(Plot, AsPgfplotsHasEverySeriesLineAndLabel) {
  const Plot plot{
      .title = "50% & more",
      .x_title = "learning_rate",
      .y_title = "accuracy",
      .series = {{"LSTM, n = 2",
                  {.color = "#0072b2", .bright = "", .dash = Dash::kDashed},
                  {{0.001, 0.5, 0.4, 0.6}, {0.01, 1, 1, 1}}},
                 {"dots", {.color = "#ff0010", .bright = ""}, {{0.001, NAN, NAN, NAN}}, true}},
      .vertical_lines = {0.005},
      .horizontal_lines = {{0.25, "log 2: ↑ wrong"}},
      .most_y = 1,
      .logarithmic_x = true};
  const PgfPlot pgf = FormatPgf(plot, "axis/parity");
  EXPECT_EQ(pgf.data,
            (std::map<std::string, std::string>{
                {"axis/parity-LSTM-n-2.dat", "x y below above\n0.001 0.5 0.4 0.6\n0.01 1 1 1\n"},
                {"axis/parity-dots.dat", "x y below above\n0.001 nan nan nan\n"}}));
  for (const char* text :
       {"title={50\\% \\& more}", "xlabel={learning\\_rate}", "xmode=log", "ymax=1",
        "legend entries={{LSTM, n = 2}, {dots}}", "rgb,255:red,0;green,114;blue,178",
        "fill between [of=band0-below and band0-above]", "only marks", "(axis cs:0.005,",
        "\\ensuremath{\\uparrow} wrong", "thick, dashed, mark=*",
        "{\\flarefigures/axis/parity-dots.dat}"}) {
    EXPECT_THAT(pgf.tex, HasSubstr(text)) << text;
  }
  EXPECT_THAT(pgf.tex, Not(HasSubstr("band1")));
}

// What a table needs besides its file and its line in the catalogue.
TEST(TableCatalogue, IsWhatTheDocumentsList) {
  const std::string docs = ReadFile(fs::path(SourceDir()) / "docs/reference/report.md");
  std::string missing;
  for (const TableKind& kind : TableCatalogue()) {
    if (docs.find(std::string("`") + kind.name + "`") == docs.npos) missing += kind.name;
  }
  EXPECT_EQ(missing, "") << "docs/reference/report.md does not name it";
}

TEST(TableCatalogue, NamesItsTablesAndHasNoneTwice) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({});
  const Study study = ReadStudy({fake.directory()});
  const Selection selection(study);
  RunFiles files;
  std::set<std::string> names;
  for (const TableKind& kind : TableCatalogue()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    for (const Table& table : kind.make(selection, files)) {
      if (!std::string(kind.name).ends_with("SETTING")) EXPECT_EQ(table.name, kind.name);
    }
  }
}

std::string FaultOfTable(const std::string& json) {
  const TemporaryDirectory directory;
  WriteFile(directory.path() / "mine.json", json);
  return RefusalOf([&] { ReadTables(directory.path()); });
}

TEST(ExtraTables, AreShownInEveryFormatAndOnThePage) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({});
  fs::create_directory(directory.path() / "mine");
  WriteFile(directory.path() / "mine/mine.json",
            R"({"table": "mine", "caption": "Mine.", "columns": [)"
            R"({"key": "what", "title": "What", "left": true}, {"key": "n", "title": "N"}], )"
            R"("rows": [{"what": {"text": "a|b"}, "n": {"value": 0.125, "decimals": 3}}, )"
            R"({"n": {"low": 1, "high": 2, "n": 5, "decimals": 0}, "rule_above": true}], )"
            R"("notes": ["So."]})");
  const fs::path to = directory.path() / "report";
  WriteReport({fake.directory()}, to, {.tables = directory.path() / "mine"});
  EXPECT_EQ(ReadFile(to / "tables/mine.md"),
            "Mine.\n\n| What | N |\n|---|---:|\n| a\\|b | 0.125 |\n|  | 1–2 (n = 5) |\n\nSo.\n");
  for (const char* format : {"tex", "csv", "json"}) {
    EXPECT_TRUE(fs::exists(to / "tables" / (std::string("mine.") + format)));
  }
  EXPECT_EQ(PageDocument(to / "data/overview-1.js", "overview")["extra_tables"][0]["table"],
            "mine");
  // One of ours is not hidden.
  WriteFile(
      directory.path() / "mine/other.json",
      R"({"table": "cost", "caption": "", "columns": [{"key": "a", "title": "A"}], "rows": []})");
  EXPECT_THAT(RefusalOf([&] {
                WriteReport({fake.directory()}, to, {.tables = directory.path() / "mine"});
              }),
              HasSubstr("has a table 'cost', as the report has"));
}

TEST(ExtraTables, AreRefusedWithWhatIsWrong) {
  const auto with = [](const std::string& rows, const std::string& name = "mine") {
    return R"({"table": ")" + name +
           R"(", "caption": "", "columns": [{"key": "a", "title": "A"}], "rows": [)" + rows + "]}";
  };
  EXPECT_EQ(FaultOfTable(with(R"({"a": {"value": 1}})")), "");
  for (const auto& [json, fault] : std::vector<std::pair<std::string, std::string>>{
           {"{", "mine.json"},
           {with("", "../x"), "'table' is '../x'"},
           {with(R"({"b": {"value": 1}})"), "a row has 'b', which is no column"},
           {with(R"({"a": {"value": 1, "text": "x"}})"), "a text or a value, not both"},
           {with(R"({"a": {"value": 1, "decimals": 99}})"), "'decimals' is 99"},
           {with(R"({"a": {"low": 1}})"), "high"},
           {R"({"table": "mine", "caption": "", "columns": [], "rows": []})",
            "'columns' is empty"}}) {
    EXPECT_THAT(FaultOfTable(json), HasSubstr(fault));
  }
}

}  // namespace
}  // namespace flare::report
