// Names may hold anything: what is written for spreadsheets, Markdown and pictures treats them as
// text.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flare/automata/regex.h"
#include "flare/base/file.h"
#include "flare/report/automaton_svg.h"
#include "flare/report/font.h"
#include "flare/report/plot.h"
#include "flare/report/report.h"
#include "flare/report/table_formats.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

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
  EXPECT_EQ(text.find('<'), std::string::npos) << text;
  EXPECT_NE(text.find("&lt;script>alert(1)&lt;/script> &amp; more"), std::string::npos) << text;
}

TEST(RunsCsv, NamesOfLanguagesAreNoFormulas) {
  const TemporaryDirectory directory;
  FakeSweep fake(directory.path() / "out", {.languages = {"=cmd"}, .trials = 1});
  fake.Add({.language = "=cmd"});
  WriteReport({fake.directory()}, fake.names(), directory.path() / "report");
  EXPECT_NE(ReadFile(directory.path() / "report/runs.csv").find("\n'=cmd,rnn,"), std::string::npos);
  EXPECT_NE(ReadFile(directory.path() / "report/tables/main.csv").find("\n'=cmd,"),
            std::string::npos);
}

TEST(AutomatonSvg, DrawsSymbolsAsTheyAre) {
  const std::string svg = AutomatonSvg(CompileRegex("<&lt;>"), "a title");
  EXPECT_NE(svg.find("&amp;lt;"), std::string::npos) << svg;
}

TEST(Plot, HasRoundTicks) {
  EXPECT_EQ(TicksUpTo(500), (std::vector<double>{0, 100, 200, 300, 400, 500}));
  EXPECT_EQ(TicksUpTo(3), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(TicksUpTo(40), (std::vector<double>{0, 10, 20, 30, 40}));
  EXPECT_EQ(TicksUpTo(1).size(), 6u);
}

TEST(Pictures, AreThereAsSvgAndPng) {
  const TemporaryDirectory directory;
  WritePlausibleSweep(directory.path() / "out",
                      {.languages = {"parity", "a<b>&\"c\""}, .losses = {"rec"}, .trials = 1},
                      false);
  WriteReport({directory.path() / "out"}, TestNames(), directory.path() / "report");
  std::size_t pictures = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory.path() / "report/figures")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = ReadFile(entry.path());
    if (entry.path().extension() == ".png") {
      EXPECT_TRUE(text.starts_with("\x89PNG")) << entry.path();
    } else if (entry.path().extension() == ".svg") {
      ++pictures;
      EXPECT_TRUE(text.starts_with("<svg ") && text.ends_with("</svg>\n")) << entry.path();
      EXPECT_NE(text.find("fill=\"#ffffff\""), std::string::npos) << entry.path();
      EXPECT_EQ(text.find("a<b>"), std::string::npos) << entry.path();
      fs::path png = entry.path();
      EXPECT_TRUE(fs::exists(png.replace_extension(".png"))) << png;
    }
  }
  // The hierarchy and what is predicted; four of parity, three of the other, which is not known to
  // be regular.
  EXPECT_EQ(pictures, 9u);
}

// The font is our own: no library looks for one, which would write its cache where it can.
TEST(Pictures, TouchNoCacheOfFonts) {
  const TemporaryDirectory directory;
  const fs::path& at = directory.path();
  FakeSweep fake(at / "out", {.losses = {"rec"}, .trials = 1});
  fake.Add({});
  WriteFile(at / "fonts.conf", "<fontconfig><dir>/usr/share/fonts</dir><cachedir>" +
                                   (at / "cache").string() + "</cachedir></fontconfig>");
  const ShellResult result =
      RunShell("FONTCONFIG_FILE=$PWD/fonts.conf " FLARE_BINARY " report out --to report", at);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(fs::exists(at / "report/figures/hierarchy.png"));
  // An empty dot says how many runs it is of, and one without a run is pale.
  const std::string hierarchy = ReadFile(at / "report/figures/hierarchy.svg");
  EXPECT_NE(hierarchy.find("no run yet"), std::string::npos) << hierarchy;
  EXPECT_NE(hierarchy.find("#b9c0c8"), std::string::npos) << hierarchy;
  EXPECT_FALSE(fs::exists(at / "cache"));
}

TEST(Font, SetsWhatItHasAndMarksWhatItHasNot) {
  const Font font;
  const Lettering a = font.Set("A", 10), wide = font.Set("A A", 20);
  EXPECT_GT(a.width, 5);
  EXPECT_LT(a.width, 10);
  EXPECT_GT(wide.width, 4 * a.width);
  EXPECT_TRUE(font.Set(" ", 10).outlines.empty());
  EXPECT_EQ(font.Set("", 10).width, 0);
  // Not UTF-8, and a character that no font has.
  EXPECT_EQ(font.Set("\xff", 10).width, font.Set("\xef\xbf\xbd", 10).width);
  EXPECT_FALSE(font.Set("\xf4\x8f\xbf\xbd", 10).outlines.empty());
  for (const Segment& segment : a.outlines) {
    EXPECT_GE(segment.to.y, -10);
    EXPECT_LE(segment.to.y, 0.5);
    EXPECT_GE(segment.to.x, 0);
    EXPECT_LE(segment.to.x, a.width);
  }
}

}  // namespace
}  // namespace flare::report
