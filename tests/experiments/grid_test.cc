#include "flare/runs/grid.h"

#include <gtest/gtest.h>

#include <set>

#include "flare/base/error.h"
#include "flare/experiments/presets.h"
#include "flare/experiments/sweep_directory.h"
#include "flare/languages/catalog.h"
#include "flare/training/known_names.h"

namespace flare {
namespace {

const std::string kSmall = R"(languages = ["parity", "first"]
architectures = ["rnn", "lstm"]
losses = ["rec", "rec+ns"]
validations = ["short"]
budgets = [1000]
trials = 2
)";

Grid Parse(const std::string& toml) { return ParseGrid(toml, "grid.toml", KnownNames()); }

std::string ErrorOf(const std::string& toml) {
  try {
    CheckMeaning({"out", "data", Parse(toml)});
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Presets, HaveThePapersNumbersOfRuns) {
  EXPECT_EQ(PresetGrid("paper").Runs().size(), 4320u);
  EXPECT_EQ(PresetGrid("model-size").Runs().size(), 1440u);
  EXPECT_EQ(PresetGrid("paper-mini").Runs().size(), 108u);
  EXPECT_THROW(PresetGrid("papers"), InputError);
}

TEST(Grid, ARunIsTheSameInEveryGridThatHasIt) {
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

TEST(Grid, SeedsAreDistinctAndFollowTheBaseSeed) {
  Grid grid = PresetGrid("paper");
  std::set<std::uint64_t> seeds;
  for (const Coordinates& run : grid.Runs()) {
    const std::uint64_t seed = grid.SeedOf(run);
    EXPECT_LT(seed, std::uint64_t{1} << 53);
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 4320u);
  const auto first = grid.Runs()[0];
  const std::uint64_t before = grid.SeedOf(first);
  grid.seed = 1;
  EXPECT_NE(grid.SeedOf(first), before);
}

TEST(Grid, JsonKeepsEverything) {
  const Grid grid = Parse(kSmall + R"(
seed = 5
data_seed = 6
[settings]
max_epochs = 3
learning_rate = 0.25
[data]
splits.train.size = 100
)");
  EXPECT_EQ(grid.name, "grid");
  EXPECT_EQ(grid.settings.at("learning_rate"), "0.25");
  EXPECT_EQ(grid.data.at("splits.train.size"), "100");
  JsonReader reader;
  const Grid back = GridFromJson(reader.Parse(GridToJson(grid).dump(), "sweep.json"), KnownNames());
  EXPECT_EQ(GridToJson(back), GridToJson(grid));
  EXPECT_EQ(back.Runs().size(), 16u);
  EXPECT_EQ(back.SettingsOf(back.Runs()[3]), grid.SettingsOf(grid.Runs()[3]));
}

TEST(Grid, TakesLanguagesOfOnesOwn) {
  std::string toml = kSmall;
  toml.replace(toml.find("\"first\""), 7, R"({name = "ab", language = "regex:(ab)*"})");
  const Grid grid = Parse(toml);
  EXPECT_EQ(grid.languages[1].name, "ab");
  EXPECT_EQ(grid.Runs().back().Path(), "ab/lstm/rec+ns/short/1000/2");
}

TEST(Grid, TakesTheNamesOfThePaperForItsLanguagesOnly) {
  const auto with = [](const std::string& language) {
    std::string toml = kSmall;
    return toml.replace(toml.find("\"first\""), 7, language);
  };
  EXPECT_EQ(ErrorOf(with(R"({name = "majority", language = "regex:(0|1)*"})")),
            "grid.toml:1: 'majority' is the name of a language of the paper, which 'regex:(0|1)*' "
            "is not: only regular languages can be shown to be the same");
  EXPECT_EQ(ErrorOf(with(R"({name = "first", language = "regex:(0|1)*1"})")),
            "grid.toml:1: 'first' is the name of a language of the paper, which 'regex:(0|1)*1' "
            "is not: it has '0 1'");
  EXPECT_EQ(ErrorOf(with(R"({name = "first", language = "regex:1(0|1)*"})")), "");
}

// Languages that are built in later change no run of the paper's.
TEST(Grid, KnowsThePapersLanguagesAndAllThatAreBuiltIn) {
  const auto names = [](const std::string& word) {
    std::vector<std::string> found;
    const std::string rest = kSmall.substr(kSmall.find('\n'));
    for (const auto& language : Parse("languages = " + word + rest).languages) {
      found.push_back(language.name);
    }
    return found;
  };
  EXPECT_EQ(names("\"paper\""), PaperLanguages());
  EXPECT_EQ(names("\"all\"").size(), Catalog().size());
  EXPECT_EQ(ErrorOf("languages = \"parity\"\n"), "grid.toml:1: languages: 'parity' is not a list");
}

TEST(Grid, RefusesMoreRunsThanItWouldEverFinish) {
  const auto trials = [](const std::string& count) {
    return kSmall.substr(0, kSmall.find("trials")) + "trials = " + count + "\n";
  };
  EXPECT_EQ(ErrorOf(trials("12500")), "");
  EXPECT_EQ(ErrorOf(trials("12501")), "grid.toml: 100008 runs are more than 100000");
  EXPECT_EQ(ErrorOf(trials("125000000")), "grid.toml: 1000000000 runs are more than 100000");
}

TEST(Grid, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(ErrorOf(kSmall + "trails = 3\n"), "grid.toml:7: unknown key 'trails'");
  EXPECT_EQ(ErrorOf(kSmall + "name = 3\n"), "grid.toml:7: name: expected a word");
  EXPECT_EQ(ErrorOf("languages = [\"parity\"\n"),
            "grid.toml:1: Error while parsing array: encountered end-of-file");
  EXPECT_EQ(ErrorOf("languages = \"all\"\n"), "grid.toml: it has no architectures");
  EXPECT_EQ(ErrorOf(kSmall + "[settings]\nlearning_rates = 1\n"),
            "grid.toml: unknown setting 'learning_rates'");
  EXPECT_EQ(ErrorOf(kSmall + "[settings]\nseed = 1\n"),
            "grid.toml: settings.seed: a coordinate of the grid, not a setting");
  EXPECT_EQ(ErrorOf(kSmall + "[data]\nsplits.train.sizes = 1\n"),
            "grid.toml: data: unknown setting 'splits.train.sizes'");
  std::string toml = kSmall;
  toml.replace(toml.find("rnn"), 3, "rnm");
  EXPECT_EQ(ErrorOf(toml),
            "grid.toml:2: architecture: 'rnm' is not one of rnn, lstm, gru, transformer");
  const auto with = [](const std::string& from, const std::string& to) {
    std::string changed = kSmall;
    return ErrorOf(changed.replace(changed.find(from), from.size(), to));
  };
  EXPECT_EQ(with("1000", "0"), "grid.toml:5: budgets: expected numbers from 1");
  EXPECT_EQ(with("[1000]", "[]"), "grid.toml:5: budgets: expected a list that is not empty");
  EXPECT_EQ(with("trials = 2", "trials = 0"), "grid.toml:6: trials: expected a number from 1");
  EXPECT_EQ(with("\"first\"", "\"regex:a*\""), "grid.toml:1: 'regex:a*' needs a name");
  for (const char* language : {"3", "{name = \"ab\"}"}) {
    EXPECT_EQ(with("\"first\"", language),
              "grid.toml:1: a language is a name, {name = ..., language = ...} or "
              "{name = ..., data = DIRECTORY}");
  }
  EXPECT_EQ(ErrorOf(kSmall + "[settings]\nhidden = 8\n"), "");
  std::string sizes = kSmall + "[settings]\nhidden = 8\n";
  EXPECT_EQ(ErrorOf(sizes.replace(sizes.find("[1000]"), 6, "[1000, 2000]")),
            "grid.toml: settings.hidden sets the size of every run: give one budget only");
  toml = kSmall;
  toml.replace(toml.find("first"), 5, "../up");
  EXPECT_NE(ErrorOf(toml), "");
  toml = kSmall;
  toml.replace(toml.find("first"), 5, "parity");
  EXPECT_EQ(ErrorOf(toml), "grid.toml: languages: one of them is there twice");
}

}  // namespace
}  // namespace flare
