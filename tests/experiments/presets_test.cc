#include <gtest/gtest.h>

#include <map>
#include <set>

#include "flare/base/error.h"
#include "flare/experiments/plan.h"
#include "flare/languages/catalog.h"
#include "flare/runs/grid.h"

namespace flare {
namespace {

TEST(Presets, HaveThePapersNumbersOfRuns) {
  EXPECT_EQ(PresetGrid("paper").Runs().size(), 4320u);
  EXPECT_EQ(PresetGrid("model-size").Runs().size(), 1440u);
  EXPECT_EQ(PresetGrid("paper-mini").Runs().size(), 108u);
  EXPECT_THROW(PresetGrid("papers"), InputError);
}

// Languages that are built in later change no run of the paper's.
TEST(Presets, HaveThePapersLanguages) {
  std::vector<std::string> names;
  for (const auto& language : PresetGrid("paper").languages) names.push_back(language.name);
  EXPECT_EQ(names, PaperLanguages());
}

TEST(Grids, TakeEverySmallLanguageByAnAtlas) {
  const auto parse = [](const std::string& languages) {
    return ParseGrid("languages = [" + languages +
                         "]\narchitectures = [\"lstm\"]\nlosses = [\"rec\"]\nvalidations = "
                         "[\"short\"]\nbudgets = [1000]\ntrials = 1\n",
                     "grid.toml");
  };
  const Grid grid = parse("\"parity\", {atlas = 3}");
  EXPECT_EQ(grid.languages.size(), 265u);
  EXPECT_EQ(grid.languages[1].name, "small:2:1");
  EXPECT_EQ(grid.languages[1].language, "small:2:1");
  EXPECT_THROW(parse("{atlas = 1}"), InputError);
  EXPECT_THROW(parse("{atlas = 5}"), InputError);
  EXPECT_THROW(parse("{atlas = 2}, {atlas = 2}"), InputError);
}

TEST(Presets, ARunIsTheSameInEveryGridThatHasIt) {
  const Grid paper = PresetGrid("paper");
  std::map<std::string, SettingTexts> settings;
  for (const Coordinates& run : paper.Runs()) settings[run.Path()] = paper.SettingsOf(run);
  for (const char* name : {"paper-mini", "model-size"}) {
    const Grid other = PresetGrid(name);
    std::size_t shared = 0;
    for (const Coordinates& run : other.Runs()) {
      const auto found = settings.find(run.Path());
      if (found == settings.end()) continue;
      EXPECT_EQ(other.SettingsOf(run), found->second) << run.Path();
      ++shared;
    }
    EXPECT_EQ(shared, name == std::string("paper-mini") ? 108u : 480u);
  }
}

TEST(Presets, EveryRunHasASeedOfItsOwn) {
  const Grid grid = PresetGrid("paper");
  std::set<std::uint64_t> seeds;
  for (const Coordinates& run : grid.Runs()) seeds.insert(grid.SeedOf(run));
  EXPECT_EQ(seeds.size(), 4320u);
}

}  // namespace
}  // namespace flare
