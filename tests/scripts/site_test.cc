// `make site`: every link leads somewhere, the search works from disk, and what checks links
// notices those that do not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "support/installed.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

ShellResult CheckLinks(const fs::path& site) {
  return RunShell(SourceDir() + "/scripts/check-links " + site.string());
}

TEST(Site, HasEveryPageAndNoLinkThatLeadsNowhere) {
  if (RunShell("/usr/bin/python3 -c 'import myst_parser, furo, sphinx_copybutton'").exit_code !=
          0 ||
      !Installed("sphinx-build")) {
    GTEST_SKIP() << "Sphinx, myst-parser or furo is missing: make site installs them";
  }
  const TemporaryDirectory folder;
  const fs::path site = folder.path() / "site";
  const ShellResult made =
      RunShell(SourceDir() + "/scripts/site " + FlareProgram() + " " + site.string());
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_FALSE(fs::exists(folder.path() / "site-source"));
  std::size_t pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(SourceDir() + "/docs")) {
    if (entry.path().extension() != ".md") continue;
    ++pages;
    const fs::path page = fs::relative(entry.path(), SourceDir()).replace_extension(".html");
    EXPECT_TRUE(fs::exists(site / page)) << page;
  }
  EXPECT_GT(pages, 15u);
  // The index that the search reads is a script, so that it works without a server.
  const std::string index = ReadFile(site / "searchindex.js");
  EXPECT_EQ(index.find("Search.setIndex("), 0u);
  EXPECT_THAT(index, HasSubstr("household"));
  EXPECT_TRUE(fs::exists(site / "gallery/paper/index.html"));
  // The program's own words, its tour, and notebooks with what they show.
  EXPECT_THAT(ReadFile(site / "commands.html"), HasSubstr("flare sweep submit"));
  EXPECT_THAT(ReadFile(site / "_images/tour.svg"), HasSubstr(">$ flare extract run</text>"));
  std::size_t notebooks = 0;
  for (const auto& entry : fs::directory_iterator(SourceDir() + "/docs/notebooks")) {
    if (entry.path().extension() != ".ipynb") continue;
    ++notebooks;
    const std::string name = "docs/notebooks/" + entry.path().stem().string();
    const std::string page = ReadFile(site / (name + ".html"));
    EXPECT_THAT(page, HasSubstr("<div class=\"output\">"));
    EXPECT_THAT(page, HasSubstr("files/" + name + ".ipynb"));
  }
  EXPECT_EQ(notebooks, 3u);
  const ShellResult checked = CheckLinks(site);
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

// The lines of a recording that are there in the end, from the top.
std::vector<std::string> LastScreen(const std::string& svg) {
  const std::regex line("<text class=\"([^\"]*)\" y=\"(\\d+)\">([^<]*)</text>");
  std::map<int, std::string> lines;
  for (std::sregex_iterator match(svg.begin(), svg.end(), line), end; match != end; ++match) {
    const std::string kinds = " " + (*match)[1].str() + " ";
    if (kinds.find(" o ") == std::string::npos) lines[std::stoi((*match)[2])] = (*match)[3];
  }
  std::vector<std::string> texts;
  for (const auto& [y, text] : lines) texts.push_back(text);
  return texts;
}

TEST(Recording, ShowsWhatIsOnTheScreenInTheEnd) {
  const TemporaryDirectory folder;
  const auto record = [&](const std::string& command) {
    return RunShell(SourceDir() + "/scripts/recording seen.svg sh -c " + command, folder.path());
  };
  // A bar that is drawn over and erased, a line that is written over in part, one that wraps, and
  // one whose character and whose control sequence come in two pieces.
  const ShellResult made = record(
      "'printf \"[   ]\"; sleep 0.1; printf \"\\r[=  ]\"; sleep 0.1; printf \"\\r\\033\"; sleep "
      "0.1;"
      " printf \"[Kabc\\rX\\n%0105d\\n\" 7; printf \"\\316\"; sleep 0.1; printf \"\\265 <b>\\n\"'");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string svg = ReadFile(folder.path() / "seen.svg");
  EXPECT_THAT(LastScreen(svg),
              testing::ElementsAre("Xbc", std::string(100, '0'), "00007", "ε &lt;b&gt;"));
  EXPECT_THAT(svg, HasSubstr(">[=  ]</text>"));  // for a while
  const ShellResult failed = record("'exit 3'");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.output, HasSubstr("exit code 3"));
}

TEST(CheckLinks, NamesWhatLeadsNowhere) {
  const TemporaryDirectory folder;
  const auto told = [&](const std::string& page) {
    WriteFile(folder.path() / "a.html", page);
    return CheckLinks(folder.path()).output;
  };
  WriteFile(folder.path() / "b.html", "<h1 id=\"here\">b</h1>");
  EXPECT_EQ(told("<a href=\"b.html#here\">b</a><a href=\"#x\">x</a><p id=\"x\">"
                 "<a href=\"https://example.org\">elsewhere</a>"),
            "");
  EXPECT_EQ(told("<a href=\"c.html\">c</a>"), "a.html: c.html is not there\n");
  EXPECT_EQ(told("<a href=\"b.html#there\">b</a>"), "a.html: b.html#there: no such anchor\n");
  EXPECT_EQ(told("<a href=\"/b.html\">b</a>"), "a.html: /b.html is an absolute path\n");
  EXPECT_EQ(told("<script src=\"https://example.org/x.js\"></script>"),
            "a.html: is made of https://example.org/x.js, which is not on disk\n");
  EXPECT_EQ(told("<img src=\"none.png\">"), "a.html: none.png is not there\n");
  fs::create_symlink("b.html", folder.path() / "d.html");
  EXPECT_EQ(told(""), "d.html: is a symbolic link\n");
}

}  // namespace
}  // namespace flare
