// What the names in a grid mean is checked before anything is made.

#include "flare/experiments/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/data/generate.h"
#include "flare/languages/source.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// Of a grid with this language, and these lines at its end.
std::string Refusal(const std::string& language, const std::string& end = "") {
  const std::string toml = "languages = [" + language + "]\n" + R"(architectures = ["transformer"]
losses = ["rec"]
validations = ["short"]
budgets = [1000]
)" + end;
  return RefusalOf([&] { CheckPlan({"out", "data", ParseGrid(toml, "grid.toml")}); });
}

void ExpectBegins(const std::string& text, const std::string& beginning) {
  EXPECT_EQ(text.substr(0, beginning.size()), beginning);
}

TEST(Plan, TakesTheNamesOfThePaperForItsLanguagesOnly) {
  ExpectBegins(Refusal(R"({name = "majority", language = "regex:(0|1)*"})"),
               "grid.toml:1: 'majority' is the name of a language of the paper, which "
               "'regex:(0|1)*' is not: only regular languages can be shown to be the same");
  ExpectBegins(Refusal(R"({name = "first", language = "regex:(0|1)*1"})"),
               "grid.toml:1: 'first' is the name of a language of the paper, which 'regex:(0|1)*1' "
               "is not: it has '0 1'");
  EXPECT_EQ(Refusal(R"({name = "first", language = "regex:1(0|1)*"})"), "");
}

// Also if a dataset, not the grid, says which language it is.
TEST(Plan, TakesTheNamesOfThePaperForTheirDataOnly) {
  const TemporaryDirectory folder;
  const auto refusal = [&](const std::string& name, const std::string& data) {
    return Refusal(
        fmt::format("{{name = \"{}\", data = \"{}\"}}", name, (folder.path() / data).string()));
  };
  DatasetConfig config = MakePreset("flare");
  for (SplitConfig& split : config.splits) split.size = split.name == "train" ? 10 : 0;
  GenerateDataset({"ones", ResolveLanguage("regex:1(0|1)*")},
                  {.out = folder.path(), .config = config});
  ExpectBegins(refusal("parity", "ones"),
               "grid.toml:1: 'parity' is the name of a language of the paper, which ");
  EXPECT_EQ(refusal("first", "ones"), "");
  EXPECT_EQ(refusal("mine", "ones"), "");
  // Without a manifest the directory's name says it, if that is one of the paper.
  fs::rename(folder.path() / "ones", folder.path() / "first");
  fs::remove(folder.path() / "first/manifest.json");
  ExpectBegins(
      refusal("parity", "first"),
      "grid.toml:1: 'parity' is the name of a language of the paper, which 'first' is not");
  fs::rename(folder.path() / "first", folder.path() / "mine");
  EXPECT_EQ(refusal("parity", "mine"), "");
}

// Before anything is made.
TEST(Plan, RefusesFreshStringsWhereNoneCanBeDrawn) {
  const TemporaryDirectory folder;
  const std::string fresh = "[settings]\ntrain_data = \"fresh\"\n";
  const std::string program = folder.path() / "program";
  WriteFile(program, "#!/bin/sh\nread question\necho a b\n");
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EQ(Refusal("\"parity\"", fresh), "");
  const std::string refusal =
      Refusal("\"parity\", {name = \"mine\", language = \"command:" + program + "\"}", fresh);
  ExpectBegins(
      refusal,
      "grid.toml:7: train_data: fresh draws strings by the recipe of the dataset, and mine "
      "is of 'command:");
  EXPECT_THAT(refusal, HasSubstr("which only a program knows"));
  ExpectBegins(Refusal("\"parity\"", fresh + "[data]\nsplits.train.kind = \"held-out\"\n"),
               "grid.toml:7: train_data: fresh draws strings by the recipe of the dataset, and "
               "parity has splits.train.kind = \"held-out\"");
  ExpectBegins(Refusal("\"parity\"", "[settings]\ncurriculum = [[0, 10], [50, 41]]\n"),
               "grid.toml:7: curriculum: from step 50 on, strings have at most 41 symbols, and "
               "splits.train.max_length is 40 in parity");
}

TEST(Plan, RefusesWhatNobodyKnows) {
  ExpectBegins(Refusal("\"parody\""), "grid.toml:1: ");
  ExpectBegins(Refusal("\"parity\"", "[data]\nsplits.train.sizes = 1\n"),
               "grid.toml:7: data: unknown setting 'splits.train.sizes'");
  ExpectBegins(Refusal("\"parity\"", "[data]\npreset = \"flair\"\n"),
               "grid.toml:7: --preset: unknown preset 'flair'");
  ExpectBegins(Refusal("\"parity\"", "[settings]\nhidden = 12\n"),
               "grid.toml:7: hidden: 12 is not a multiple of 8");
}

}  // namespace
}  // namespace flare
