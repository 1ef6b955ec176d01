// The tables of a tiny sweep, to the byte. FLARE_UPDATE_GOLDEN=1 writes them again.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/report/report.h"
#include "support/fake_sweep.h"
#include "support/paths.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

// Two languages, one of them unknown to the paper and without a held-out test set; a tie, a missing
// trial, a failed run, a diverged one with a score and one without.
void WriteTinySweep(const fs::path& directory) {
  FakeSweep study(directory, {.languages = {"dyck-2-3", "my_language & co"},
                              .losses = {"rec", "rec+ns"},
                              .budgets = {64'000, 128'000}});
  study.AddBaselines("dyck-2-3", 0.625, 0.52, 0.515625);
  study.AddBaselines("my_language & co", std::nullopt, 0.5, 0.75);
  double test = 1;
  std::size_t number = 0;
  for (const char* language : {"dyck-2-3", "my_language & co"}) {
    for (const char* architecture : {"rnn", "lstm", "transformer"}) {
      for (const char* loss : {"rec", "rec+ns"}) {
        for (const char* validation : {"short", "long"}) {
          for (const std::size_t budget : {64'000u, 128'000u}) {
            for (const std::size_t trial : {1u, 2u}) {
              FakeRun run{language, architecture, loss, validation, budget, trial};
              test = test > 0.6 ? test - 0.03125 : 1;
              run.test = test;
              run.longest_perfect_length = test == 1 ? 500 : 40;
              run.validation_cross_entropy = 1 - test;
              run.validation_accuracy = test;
              if (run.language != "dyck-2-3") run.short_test.reset();
              ++number;
              if (number == 5) continue;
              if (number == 9) {
                study.AddFailure(run, "killed, it says \"9\"");
                continue;
              }
              if (number == 13 || number == 26) {
                run.diverged = true;
                run.has_metrics = number == 26;
              }
              study.Add(run);
            }
          }
        }
      }
    }
  }
}

TEST(Golden, TablesOfATinySweep) {
  const TemporaryDirectory directory;
  const fs::path here = fs::current_path();
  // Hashes in the fake runs come from their paths, which must not be those of a scratch directory.
  fs::current_path(directory.path());
  WriteTinySweep("out");
  const ReportSummary summary = WriteReport({"out"}, "report");
  fs::current_path(here);
  EXPECT_EQ(summary.Text(), "94 of 96 runs finished, 2 of them diverged; 1 failed");
  const fs::path golden = fs::path(SourceDir()) / "tests" / "golden" / "report";
  std::size_t compared = 0;
  for (const char* file :
       {"tables/main.md", "tables/main.tex", "tables/main.csv", "tables/main.json",
        "tables/main-long.md", "tables/main-long.tex", "tables/comparison.md",
        "tables/comparison.csv", "tables/best-loss.md", "tables/best-loss.tex",
        "tables/model-sizes.md", "tables/model-sizes.tex", "tables/cost.md", "tables/cost.csv",
        "tables/full/dyck-2-3.md", "tables/full/dyck-2-3.tex", "tables/full/dyck-2-3.csv",
        "tables/full/my-language-co.tex", "runs.csv"}) {
    const std::string ours = ReadFile(directory.path() / "report" / file);
    if (std::getenv("FLARE_UPDATE_GOLDEN") != nullptr) {
      fs::create_directories((golden / file).parent_path());
      WriteFileAtomically(golden / file, ours);
      continue;
    }
    EXPECT_EQ(ours, ReadFile(golden / file)) << file;
    ++compared;
  }
  if (std::getenv("FLARE_UPDATE_GOLDEN") == nullptr) EXPECT_EQ(compared, 19u);
}

}  // namespace
}  // namespace flare::report
