#include "flare/report/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/same_run.h"
#include "support/shell.h"

namespace flare::report {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  OutputFolderTest() : study_(folder_.path() / "out", {.languages = {"parity"}}) {}

  void Write(const fs::path& to) { WriteReport({study_.directory()}, to); }

  const TemporaryDirectory folder_;
  FakeSweep study_;
};

TEST_F(OutputFolderTest, ForeignFilesStay) {
  for (const char* name : {"index.html", "thesis.tex", "runs.csv", "tables"}) {
    const fs::path to = folder_.path() / name;
    fs::create_directory(to);
    WriteFile(to / name, "<h1>years of work</h1>");
    EXPECT_THAT(RefusalOf([&] { Write(to); }), HasSubstr("for the report"));
    EXPECT_EQ(ReadFile(to / name), "<h1>years of work</h1>");
    EXPECT_EQ(std::distance(fs::directory_iterator(to), {}), 1);
  }
}

TEST_F(OutputFolderTest, AReportIsMadeAgainAlsoIfItWasKilled) {
  const fs::path to = folder_.path() / "report";
  Write(to);
  const auto whole = TimelessContents(to);
  WriteFile(to / "notes.txt", "mine");
  Write(to);
  EXPECT_EQ(ReadFile(to / "notes.txt"), "mine");
  fs::remove(to / "notes.txt");
  // What a report that was killed half way has left.
  fs::remove(to / "runs.csv");
  WriteFile(to / "index.html", std::string(kTitleOfReports));
  WriteFile(to / "tables" / "main.md.flare.0123456789abcdef.tmp", "half");
  WriteFile(to / "index.html.flare.0123456789abcdef.tmp", "half");
  Write(to);
  EXPECT_EQ(TimelessContents(to), whole);
}

TEST_F(OutputFolderTest, FilesThatOnlyTheLastReportHadAreRemoved) {
  const fs::path to = folder_.path() / "report";
  FakeSweep other(folder_.path() / "other", {.languages = {"first"}});
  WriteReport({other.directory()}, to);
  WriteFile(to / "tables/notes.md", "mine");
  const fs::path gone = to / "tables/full/first.md", stays = folder_.path() / "stays.md";
  EXPECT_TRUE(fs::exists(gone));
  // A list that was changed removes nothing outside.
  WriteFile(stays, "mine");
  WriteFile(to / ".files", ReadFile(to / ".files") + "../stays.md\n" + stays.string() + "\n\n.\n");
  WriteReport({study_.directory()}, to, {.published = false});
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_TRUE(fs::exists(to / "tables/full/parity.md"));
  EXPECT_EQ(ReadFile(to / "tables/notes.md"), "mine");
  EXPECT_EQ(ReadFile(stays), "mine");
}

TEST_F(OutputFolderTest, LinksAreNotFollowed) {
  const fs::path to = folder_.path() / "report", mine = folder_.path() / "mine";
  Write(to);
  fs::create_directory(mine);
  WriteFile(mine / "main.md", "years of work");
  for (const char* folder : {"tables/full", "tables"}) {
    fs::remove_all(to / folder);
    fs::create_directory_symlink(mine, to / folder);
    EXPECT_THAT(RefusalOf([&] { Write(to); }), HasSubstr("is a link")) << folder;
    EXPECT_EQ(ReadFile(mine / "main.md"), "years of work");
    EXPECT_EQ(std::distance(fs::directory_iterator(mine), {}), 1) << folder;
  }
}

TEST_F(OutputFolderTest, NobodyWaitsForAPipe) {
  const fs::path to = folder_.path() / "pipe";
  fs::create_directory(to);
  ASSERT_EQ(mkfifo((to / "index.html").c_str(), 0600), 0);
  EXPECT_THAT(RefusalOf([&] { Write(to); }), HasSubstr("index.html"));
}

TEST_F(OutputFolderTest, TwoAtATimeMakeOne) {
  const fs::path alone = folder_.path() / "alone";
  Write(alone);
  const std::string report = FlareProgram() + " report " + study_.directory().string() + " --to ";
  for (int round = 0; round < 15; ++round) {
    const std::string one = report + "pair >/dev/null 2>>log || echo failed >> log";
    RunShell("rm -rf pair; (" + one + ") & (" + one + ") & wait", folder_.path());
    EXPECT_THAT(ReadFile(folder_.path() / "log"), Not(HasSubstr("failed\n")));
    EXPECT_EQ(TimelessContents(folder_.path() / "pair"), TimelessContents(alone));
  }
}

}  // namespace
}  // namespace flare::report
