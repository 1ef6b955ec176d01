#include "flare/report/language_info.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/data/generate.h"
#include "flare/languages/source.h"
#include "flare/report/study.h"
#include "support/fake_sweep.h"
#include "support/shell.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

// The name of the language that a report takes the runs of "anbn" to be of; empty if it does not
// know.
std::string NameIn(const FakeSweep& fake) {
  const auto language = FindLanguage(ReadStudy({fake.directory()}), "anbn");
  return language ? language->name : "";
}

// Any name may be given to any language but the paper's.
void PutDataset(const FakeSweep& fake, const std::string& language) {
  DatasetConfig config = MakePreset("flare");
  for (SplitConfig& split : config.splits) split.size = 20;
  fs::remove_all(fake.directory() / "data");
  GenerateDataset({"anbn", ResolveLanguage(language)}, {fake.directory() / "data", 0, config});
}

TEST(FindLanguage, AsksTheManifestBeforeTheCatalogue) {
  const TemporaryDirectory directory;
  const FakeSweep fake(directory.path() / "out", {.languages = {"anbn"}});
  EXPECT_EQ(NameIn(fake), "anbn");
  PutDataset(fake, "regex:a*b*");
  EXPECT_EQ(NameIn(fake), "regex:a*b*");
}

// Of a dataset that is at the path now and that the runs did not have, nothing is said beside them.
TEST(FindLanguage, AsksTheDataOfTheRuns) {
  for (const bool is_of_recipe : {false, true}) {
    const TemporaryDirectory directory;
    FakeSweep fake(directory.path() / "out",
                   {.languages = {"anbn"}, .data_is_of_recipe = is_of_recipe});
    FakeRun run;
    run.language = "anbn";
    fake.Add(run);
    PutDataset(fake, "regex:a*b*");
    EXPECT_EQ(NameIn(fake), is_of_recipe ? "anbn" : "");
    fs::remove(fake.directory() / "data/anbn/manifest.json");
    EXPECT_EQ(NameIn(fake), is_of_recipe ? "anbn" : "");
    fs::remove_all(fake.directory() / "data");
    EXPECT_EQ(NameIn(fake), is_of_recipe ? "anbn" : "");
  }
}

TEST(FindLanguage, LabelsDecideIfThereIsNoManifest) {
  const TemporaryDirectory directory;
  const FakeSweep fake(directory.path() / "out",
                       {.languages = {"anbn"}, .data_is_of_recipe = false});
  PutDataset(fake, "anbn");
  fs::remove(fake.directory() / "data/anbn/manifest.json");
  EXPECT_EQ(NameIn(fake), "anbn");
  PutDataset(fake, "regex:a*b*");
  fs::remove(fake.directory() / "data/anbn/manifest.json");
  EXPECT_EQ(NameIn(fake), "");
}

}  // namespace
}  // namespace flare::report
