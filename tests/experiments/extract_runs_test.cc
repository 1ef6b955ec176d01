#include "flare/experiments/extract_runs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "flare/base/file.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

// The files of all extractions.
std::map<std::string, std::string> ExtractionsOf(const fs::path& out) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(out / "runs")) {
    if (entry.path().parent_path().filename() != "extract") continue;
    files[fs::relative(entry.path(), out)] = ReadFile(entry.path().string());
  }
  return files;
}

TEST(ExtractRuns, DoesWhatIsLeftAndTheSameOnAnyNumberOfThreads) {
  TemporaryDirectory folder;
  WriteSmallGrid(folder.path(), 20);
  const ShellResult trained = RunShell(SweepCommand("out", "--jobs 2"), folder.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.output;
  fs::copy(folder.path() / "out", folder.path() / "copy", fs::copy_options::recursive);
  const auto extract = [&](const std::string& out, ExtractRunsOptions options) {
    ProgressObserver nobody;
    options.extraction.max_states = 20;
    return ExtractRuns(ReadSweep(folder.path() / out), options, nobody);
  };

  const ExtractSummary one = extract("out", {.jobs = 1});
  EXPECT_EQ(one.extracted, 8u);
  EXPECT_TRUE(one.failed.empty());
  const auto files = ExtractionsOf(folder.path() / "out");
  EXPECT_EQ(files.size(), 16u);
  EXPECT_EQ(extract("copy", {.jobs = 4}).extracted, 8u);
  EXPECT_EQ(ExtractionsOf(folder.path() / "copy"), files);

  // A second time there is nothing to do; what is half there is made again.
  EXPECT_EQ(extract("out", {.jobs = 2}).known, 8u);
  fs::remove(folder.path() / "out" / files.begin()->first);
  const ExtractSummary again = extract("out", {.jobs = 2});
  EXPECT_EQ(again.extracted, 1u);
  EXPECT_EQ(again.known, 7u);
  EXPECT_EQ(ExtractionsOf(folder.path() / "out"), files);

  const ExtractSummary stopped = extract("out", {.stop = [] { return std::string("SIGTERM"); }});
  EXPECT_EQ(stopped.stopped, "SIGTERM");
  EXPECT_EQ(stopped.extracted + stopped.known, 0u);
}

}  // namespace
}  // namespace flare
