#include "flare/runs/sweep_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flare/base/file.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/version02.h"

namespace flare {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::StartsWith;

TEST(SweepFile, FileOfVersion02IsRewrittenUnchanged) {
  const Sweep sweep = ReadSweep(Version02("twelve/sweep"));
  EXPECT_EQ(sweep.data, "/home/ada/data");
  EXPECT_EQ(sweep.grid.Runs().size(), 12u);
  EXPECT_EQ(SweepText(sweep), ReadFile(Version02("twelve/sweep/sweep.json")));
}

TEST(SweepFile, FollowsFromTheGridsToml) {
  Sweep sweep = ReadSweep(Version02("twelve/sweep"));
  sweep.grid = ParseGrid(ReadFile(Version02("twelve/grid.toml")), "grid.toml");
  sweep.grid.format = 1;  // a later one if it were planned today
  EXPECT_EQ(SweepText(sweep), ReadFile(Version02("twelve/sweep/sweep.json")));
}

TEST(Sweep, KnowsWhereThingsAre) {
  Sweep sweep{"out", "/data", {}};
  sweep.grid.languages = {{"parity", "parity", "", ""}, {"anbn", "", "/my/strings", ""}};
  EXPECT_EQ(sweep.DatasetPath("parity"), "/data/parity");
  EXPECT_EQ(sweep.DatasetPath("anbn"), "/my/strings");
  EXPECT_EQ(sweep.BaselinesPath("anbn"), "out/baselines/anbn.json");
  EXPECT_EQ(sweep.RunPath({"parity", "lstm,layers=2", "rec", "short", 1000, 3}),
            "out/runs/parity/lstm,layers=2/rec/short/1000/3");
}

// The refusal of the fixture's file with a text in it replaced, without the name of the file.
std::string RefusalOfSweep(const std::string& from, const std::string& to) {
  const TemporaryDirectory out;
  std::string text = JsonText(SweepToJson(ReadSweep(Version02("twelve/sweep"))));
  text.replace(text.find(from), from.size(), to);
  WriteFile(SweepFile(out.path()), text);
  const std::string refusal = RefusalOf([&] { ReadSweep(out.path()); });
  const std::string file = SweepFile(out.path()).string() + ": ";
  EXPECT_TRUE(refusal.empty() || refusal.starts_with(file)) << refusal;
  return refusal.empty() ? "" : refusal.substr(file.size());
}

TEST(SweepFile, RefusesWhatCannotBe) {
  const std::string budgets = "\"budgets\": [\n      2000\n    ]";
  const auto with_budgets = [&](const std::string& list) {
    return RefusalOfSweep(budgets, "\"budgets\": " + list);
  };
  EXPECT_EQ(with_budgets("[64000]"), "");
  EXPECT_EQ(with_budgets("[-5]"), "'budgets' is '-5', not a count");
  EXPECT_EQ(with_budgets("[1e30]"), "'budgets' is '1e+30', not a count");
  EXPECT_EQ(with_budgets("[1.5]"), "'budgets' is '1.5', not a count");
  EXPECT_EQ(with_budgets("[true]"), "'budgets' is 'true', not a count");
  EXPECT_EQ(with_budgets("[]"), "one of the grid's lists is empty");
  EXPECT_EQ(with_budgets("3"), "'budgets' is '3', not a list");
  EXPECT_EQ(RefusalOfSweep("\"trials\": 2", "\"trials\": -1"), "'trials' is '-1', not a count");
  EXPECT_EQ(RefusalOfSweep("\"trials\": 2", "\"trials\": 1000000000000000"),
            "6000000000000000 runs are more than 100000");
  EXPECT_EQ(RefusalOfSweep("\"parity\"", "3"), "'languages' is '3', not a string");
  EXPECT_THAT(RefusalOfSweep("\"rnn\"", "\"../rnn\""),
              StartsWith("architecture: '../rnn' is not one of rnn, lstm, "));
  EXPECT_THAT(RefusalOfSweep("\"rec\"", "\"rec+\""),
              AllOf(StartsWith("'rec+' is not a sum of terms, each once, of rec, lm, "),
                    EndsWith("; did you mean rec?")));
}

TEST(SweepFile, RefusesMembersThatNobodyKnows) {
  EXPECT_EQ(RefusalOfSweep("\"data_seed\"", "\"dataseed\""),
            "unknown member 'dataseed'; did you mean data_seed?");
  EXPECT_EQ(RefusalOfSweep("\"max_epochs\"", "\"max_epoch\""),
            "unknown setting 'max_epoch'; did you mean max_epochs?");
  EXPECT_EQ(RefusalOfSweep("\"seed\": 0,", ""), "'seed' is missing");
  EXPECT_EQ(RefusalOfSweep("\"data\": \"/home/ada/data\",", ""),
            "it does not say where the data is");
  EXPECT_EQ(
      RefusalOfSweep("\"format\": 1", "\"format\": 3"),
      "its format is 3, and this program knows formats up to 2; a newer version of flare wrote it");
}

TEST(SweepFile, RefusesDirectoriesOfOtherThings) {
  const TemporaryDirectory out;
  EXPECT_EQ(RefusalOf([&] { ReadSweep(out.path()); }),
            out.path().string() +
                ": is not a sweep directory: it has no sweep.json; flare sweep plan or flare sweep "
                "run makes one");
}

}  // namespace
}  // namespace flare
