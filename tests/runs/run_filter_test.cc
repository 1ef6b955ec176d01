#include <gtest/gtest.h>

#include "flare/runs/grid.h"
#include "support/refusal.h"

namespace flare {
namespace {

Grid SomeGrid() {
  return ParseGrid(R"(languages = ["parity", "first"]
architectures = ["rnn", "lstm", {architecture = "lstm", layers = [1, 2], dropout = 0.5}]
losses = ["rec", "rec+ns"]
validations = ["short", "long"]
budgets = [64_000]
trials = 3
)",
                   "grid.toml");
}

std::vector<std::string> Matching(const std::vector<std::string>& conditions) {
  const Grid grid = SomeGrid();
  const RunFilter filter(conditions, grid);
  std::vector<std::string> paths;
  for (const Coordinates& run : grid.Runs()) {
    if (filter.Matches(run)) paths.push_back(run.Path());
  }
  return paths;
}

TEST(RunFilter, EmptyFilterMatchesEveryRun) { EXPECT_EQ(Matching({}).size(), 2u * 4 * 2 * 2 * 3); }

TEST(RunFilter, EveryConditionMustHold) {
  EXPECT_EQ(
      Matching({"variant=rnn", "loss=rec", "trial=3", "language=parity"}),
      (std::vector<std::string>{"parity/rnn/rec/short/64000/3", "parity/rnn/rec/long/64000/3"}));
  EXPECT_EQ(
      Matching({"language=first", "loss=rec+ns", "trial=1,2", "validation=long", "architecture=rnn",
                "budget=64000"}),
      (std::vector<std::string>{"first/rnn/rec+ns/long/64000/1", "first/rnn/rec+ns/long/64000/2"}));
}

TEST(RunFilter, AnArchitectureHasAllItsVariants) {
  const std::vector<std::string> one = {"language=parity", "loss=rec", "trial=1",
                                        "validation=short"};
  const auto with = [&](const std::vector<std::string>& further) {
    std::vector<std::string> conditions = one;
    conditions.insert(conditions.end(), further.begin(), further.end());
    return Matching(conditions);
  };
  const std::string plain = "parity/lstm/rec/short/64000/1",
                    first = "parity/lstm,dropout=0.5,layers=1/rec/short/64000/1",
                    second = "parity/lstm,dropout=0.5,layers=2/rec/short/64000/1";
  EXPECT_EQ(with({"architecture=lstm"}), (std::vector<std::string>{plain, first, second}));
  EXPECT_EQ(with({"architecture=rnn,lstm"}).size(), 4u);
  EXPECT_EQ(with({"variant=lstm"}), std::vector<std::string>{plain});
  EXPECT_EQ(with({"variant=lstm,dropout=0.5,layers=2"}), std::vector<std::string>{second});
  EXPECT_EQ(with({"variant=lstm", "variant=lstm,dropout=0.5,layers=1"}),
            (std::vector<std::string>{plain, first}));
}

TEST(RunFilter, RefusesWhatTheGridDoesNotHave) {
  const auto refusal = [](const std::string& condition) {
    return RefusalOf([&] { Matching({condition}); });
  };
  EXPECT_EQ(refusal("los=rec"),
            "--only: 'los=rec' is not COORDINATE=VALUE,...; coordinates: language, architecture, "
            "variant, loss, validation, budget, trial");
  EXPECT_EQ(refusal("trial=4"), "--only: the grid has no trial '4'");
  EXPECT_EQ(refusal("variant=rnn,lstm"), "--only: the grid has no variant 'rnn,lstm'");
  for (const char* condition :
       {"loss", "loss=", "loss=rec+", "budget=64k", "architecture=rnn,", "=rec"}) {
    EXPECT_NE(refusal(condition), "") << condition;
  }
}

}  // namespace
}  // namespace flare
