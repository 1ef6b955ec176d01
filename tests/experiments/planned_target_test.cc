// A sweep keeps the instruction set that it was planned with, whatever machine continues it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/experiments/plan.h"
#include "support/integrity.h"
#include "support/refusal.h"
#include "support/shell.h"
#include "support/small_sweep.h"

namespace flare {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class PlannedTarget : public testing::Test {
 protected:
  PlannedTarget() {
    WriteSmallGrid(folder_.path(), 1);
    grid_ = ReadFile(folder_.path() / "grid.toml");
  }

  // On a machine whose default it is.
  Sweep PlanWith(const std::string& target) {
    ProgressObserver nobody;
    PlanOptions options;
    options.target = target;
    return PlanSweep(ParseGrid(grid_, "grid.toml"), folder_.path() / "data", folder_.path() / "out",
                     options, nobody);
  }
  void Replace(const std::string& from, const std::string& to) {
    grid_.replace(grid_.find(from), from.size(), to);
  }
  fs::path File() const { return SweepFile(folder_.path() / "out"); }
  Json SweepJson() const { return Json::parse(WithoutCheck(ReadFile(File()))); }
  // As it was before sweeps recorded their target.
  Json WithoutTarget() const {
    Json old = SweepJson();
    old["overrides"].erase("target");
    return old;
  }
  static std::string TargetOf(const Sweep& sweep, std::size_t run) {
    return sweep.grid.SettingsOf(sweep.grid.Runs()[run]).at("target");
  }

  TemporaryDirectory folder_;
  std::string grid_;
};

TEST_F(PlannedTarget, IsTheFirstPlanners) {
  EXPECT_EQ(TargetOf(PlanWith("portable"), 0), "portable");
  EXPECT_EQ(SweepJson()["overrides"]["target"], "portable");
  EXPECT_EQ(TargetOf(PlanWith("avx2"), 0), "portable");
  EXPECT_EQ(TargetOf(ReadSweep(folder_.path() / "out"), 0), "portable");
}

TEST_F(PlannedTarget, IsTheDefaultIfTheSweepNamesNone) {
  PlanWith("avx2");
  EXPECT_EQ(SweepJson()["overrides"]["target"], "avx2");
  const Json old = WithoutTarget();
  WriteFile(File(), JsonText(old));
  PlanWith("portable");
  EXPECT_EQ(SweepJson(), old);
  Replace("layers = 1", "layers = 1\ntarget = \"avx2\"");
  PlanWith("portable");
  EXPECT_EQ(SweepJson(), old);
}

TEST_F(PlannedTarget, GridsTargetWins) {
  Replace("layers = 1", "layers = 1\ntarget = \"native\"");
  EXPECT_EQ(TargetOf(PlanWith("portable"), 0), "native");
}

// A variant's name leaves the usual target out.
TEST_F(PlannedTarget, IsTheVariantsIfTheGridComparesTargets) {
  Replace("[\"rnn\", \"transformer\"]", "[\"rnn\"]");
  Replace("layers = 1", "layers = 1\ntarget = [\"avx2\", \"portable\"]");
  const Sweep sweep = PlanWith("portable");
  EXPECT_EQ(sweep.grid.Runs()[0].variant, "rnn");
  EXPECT_FALSE(sweep.grid.SettingsOf(sweep.grid.Runs()[0]).contains("target"));
  EXPECT_EQ(sweep.grid.Runs()[2].variant, "rnn,target=portable");
  EXPECT_EQ(TargetOf(sweep, 2), "portable");
  const Json planned = SweepJson();
  PlanWith("avx2");
  EXPECT_EQ(SweepJson(), planned);
}

TEST_F(PlannedTarget, IsTheUsualOneIfAnArchitectureNamesIt) {
  Replace("\"rnn\"", "{architecture = \"rnn\", target = \"avx2\"}");
  EXPECT_EQ(TargetOf(PlanWith("portable"), 0), "avx2");
}

TEST_F(PlannedTarget, MayNotChange) {
  PlanWith("portable");
  Replace("layers = 1", "layers = 1\ntarget = \"avx2\"");
  const std::string refusal = RefusalOf([&] { PlanWith("portable"); });
  EXPECT_THAT(refusal, HasSubstr("was made with a different grid: its overrides"));
}

}  // namespace
}  // namespace flare
