#include "flare/runs/run_filter.h"

#include <gtest/gtest.h>

#include "flare/base/error.h"
#include "flare/experiments/presets.h"

namespace flare {
namespace {

TEST(RunFilter, EveryConditionMustHold) {
  const Grid grid = PresetGrid("paper");
  const RunFilter filter({"architecture=rnn,lstm", "loss=rec", "trial=3", "language=parity"}, grid);
  std::vector<std::string> matching;
  for (const Coordinates& run : grid.Runs()) {
    if (filter.Matches(run)) matching.push_back(run.Path());
  }
  EXPECT_EQ(matching, (std::vector<std::string>{
                          "parity/rnn/rec/short/64000/3", "parity/rnn/rec/long/64000/3",
                          "parity/lstm/rec/short/64000/3", "parity/lstm/rec/long/64000/3"}));
  for (const char* bad : {"loss", "los=rec", "loss=", "loss=rec+", "budget=64k", "trial=11"}) {
    EXPECT_THROW(RunFilter({bad}, grid), InputError) << bad;
  }
}

}  // namespace
}  // namespace flare
