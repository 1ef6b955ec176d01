#include "flare/runs/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "flare/base/file.h"
#include "flare/languages/catalog.h"
#include "support/refusal.h"
#include "support/version02.h"

namespace flare {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kSmall = R"(languages = ["parity", "first"]
architectures = ["rnn", "lstm"]
losses = ["rec", "rec+ns"]
validations = ["short"]
budgets = [1000]
trials = 2
)";

Grid Parse(const std::string& toml) { return ParseGrid(toml, "grid.toml"); }

std::string Refusal(const std::string& toml) {
  return RefusalOf([&] { Parse(toml); });
}

// kSmall with one of its texts replaced by another.
std::string GridWith(const std::string& from, const std::string& to) {
  std::string toml = kSmall;
  return toml.replace(toml.find(from), from.size(), to);
}

std::vector<std::string> VariantsOf(const std::string& toml) {
  std::vector<std::string> texts;
  for (const Variant& variant : Parse(toml).variants) texts.push_back(variant.Text());
  return texts;
}

Grid Again(const Grid& grid) {
  JsonReader reader;
  const std::string text = GridToJson(grid).dump();
  return GridFromJson(reader.Parse(text, "sweep.json"));
}

TEST(Grid, HasARunForEveryCombination) {
  const Grid grid = Parse(kSmall);
  EXPECT_EQ(grid.name, "grid");
  const auto runs = grid.Runs();
  ASSERT_EQ(runs.size(), 16u);
  EXPECT_EQ(runs.front().Path(), "parity/rnn/rec/short/1000/1");
  EXPECT_EQ(runs[1].Path(), "parity/rnn/rec/short/1000/2");
  EXPECT_EQ(runs[2].Path(), "parity/rnn/rec+ns/short/1000/1");
  EXPECT_EQ(runs.back().Path(), "first/lstm/rec+ns/short/1000/2");
}

TEST(Grid, TakesLossesInAnyOrder) {
  EXPECT_EQ(Parse(GridWith("\"rec+ns\"", "\"ns+rec+lm\"")).losses,
            (std::vector<std::string>{"rec", "rec+lm+ns"}));
  EXPECT_EQ(Refusal(GridWith("\"rec\", \"rec+ns\"", "\"ns+rec\", \"rec+ns\"")),
            "grid.toml:3: losses: a value is listed twice");
}

TEST(Grid, ListsOfSettingsAreAxes) {
  EXPECT_EQ(VariantsOf(kSmall + "[settings]\nlayers = [1, 5]\nlearning_rate = [0.001, 3e-4]\n"),
            (std::vector<std::string>{
                "rnn,layers=1,learning_rate=0.001", "rnn,layers=1,learning_rate=0.0003",
                "rnn,learning_rate=0.001", "rnn,learning_rate=0.0003",
                "lstm,layers=1,learning_rate=0.001", "lstm,layers=1,learning_rate=0.0003",
                "lstm,learning_rate=0.001", "lstm,learning_rate=0.0003"}));
}

// A list of lists of numbers is one value, a list of those an axis.
TEST(Grid, ACurriculumIsOneValue) {
  const Grid grid = Parse(kSmall + "[settings]\ncurriculum = [[0, 10], [500, 20]]\n");
  EXPECT_EQ(grid.settings.at("curriculum"), "[[0, 10], [500, 20]]");
  EXPECT_EQ(VariantsOf(kSmall + "[settings]\ncurriculum = [\"\", [[0, 10], [500, 20]]]\n"),
            (std::vector<std::string>{"rnn", "rnn,curriculum=0:10+500:20", "lstm",
                                      "lstm,curriculum=0:10+500:20"}));
  EXPECT_EQ(VariantsOf(GridWith("\"rnn\"", "{architecture = \"rnn\", curriculum = [[0, 5]]}")),
            (std::vector<std::string>{"rnn,curriculum=0:5", "lstm"}));
  EXPECT_EQ(Refusal(kSmall + "[settings]\ncurriculum = [[0, 10], [500, 2]]\n"),
            "grid.toml:8: curriculum: '[[0, 10], [500, 2]]' is not a curriculum: length 2 comes "
            "after 10; expected steps and lengths that grow, from step 0 on: [[0, 10], [5000, 20]] "
            "or 0:10+5000:20");
  EXPECT_EQ(Refusal(kSmall + "[settings]\ntrain_data = \"frsh\"\n"),
            "grid.toml:8: train_data: 'frsh' is not one of fixed, fresh; did you mean fresh?");
}

TEST(Grid, ListsOfAnArchitecturesSettingsAreItsAxes) {
  const std::string toml =
      GridWith("\"lstm\"", R"("lstm", {architecture = "lstm", layers = [2, 3]})");
  EXPECT_EQ(VariantsOf(toml),
            (std::vector<std::string>{"rnn", "lstm", "lstm,layers=2", "lstm,layers=3"}));
  EXPECT_EQ(VariantsOf(toml + "[settings]\ndropout = [0, 0.5]\n").size(), 8u);
}

TEST(Grid, LabelsTellTheVariantsOfAListApart) {
  const Grid grid = Parse(GridWith("\"lstm\"", R"("lstm", {architecture = "lstm", dropout = 0,)"
                                               R"( layers = [2, 3], name = "Shallow"})"));
  EXPECT_EQ(grid.VariantOf("lstm").label, "");
  EXPECT_EQ(grid.VariantOf("lstm,dropout=0,layers=2").label, "Shallow, layers=2");
  EXPECT_EQ(grid.VariantOf("lstm,dropout=0,layers=3").label, "Shallow, layers=3");
}

// A table would have two columns of one name, each with different numbers.
TEST(Grid, VariantsDoNotBearEachOthersNames) {
  EXPECT_THAT(
      Refusal(GridWith("\"lstm\"", R"("lstm", {architecture = "rnn", layers = 2, name = "LSTM"})")),
      HasSubstr("lstm and rnn,layers=2 have the same name, 'LSTM'"));
  EXPECT_THAT(Refusal(GridWith("\"lstm\"", R"({architecture = "lstm", name = "it"},)"
                                           R"( {architecture = "rnn", layers = 2, name = "It"})")),
              HasSubstr("lstm and rnn,layers=2 have the same name, 'It'"));
  EXPECT_THAT(Refusal(GridWith("\"lstm\"", R"("lstm", {architecture = "rnn", name = "LSTM "})")),
              HasSubstr("name: 'LSTM ' begins or ends with a blank"));
}

TEST(Grid, SettingsOfARunAreThoseOfAllAndThoseOfItsVariant) {
  const Grid grid = Parse(GridWith("\"lstm\"", R"({architecture = "lstm", layers = 2})") +
                          "[settings]\nmax_epochs = 3\nns_coefficient = 0.5\n");
  const Coordinates run{"parity", "lstm,layers=2", "rec+ns", "short", 1000, 1};
  EXPECT_EQ(grid.SettingsOf(run), (SettingTexts{{"architecture", "lstm"},
                                                {"budget", "1000"},
                                                {"layers", "2"},
                                                {"loss", "rec+ns"},
                                                {"max_epochs", "3"},
                                                {"ns_coefficient", "0.5"},
                                                {"seed", std::to_string(grid.SeedOf(run))},
                                                {"validation", "short"}}));
  // A coefficient applies to the losses that have its term.
  Coordinates plain = run;
  plain.loss = "rec";
  EXPECT_FALSE(grid.SettingsOf(plain).contains("ns_coefficient"));
}

// What a sweep does not say means what it meant when the sweep was planned.
TEST(Grid, GridOfVersion02KeepsItsMeanings) {
  const auto setting = [](std::uint64_t format, const std::string& architecture,
                          const std::string& key) {
    Grid grid = Parse(GridWith("\"lstm\"", "\"" + architecture + "\""));
    grid.format = format;
    const Coordinates run{"parity", architecture, "rec", "short", 1000, 1};
    const RunSettings settings = ParseSettings(grid.SettingsOf(run), "");
    return key == "init" ? settings.init : settings.options.at(key);
  };
  EXPECT_EQ(setting(1, "mamba", "init"), "paper");
  EXPECT_EQ(setting(2, "mamba", "init"), "reference");
  EXPECT_EQ(setting(1, "mlstm", "order"), "gate-norm");
  EXPECT_EQ(setting(2, "mlstm", "order"), "norm-gate");
  EXPECT_EQ(setting(2, "mlstm", "init"), "paper");
  EXPECT_EQ(setting(1, "lstm", "init"), "paper");
  // Nothing is added where nothing has changed.
  Grid grid = Parse(kSmall);
  const SettingTexts today = grid.SettingsOf(grid.Runs()[0]);
  grid.format = 1;
  EXPECT_EQ(grid.SettingsOf(grid.Runs()[0]), today);
}

TEST(Grid, ASettingIsOfAllRunsOrOfAVariant) {
  const auto with = [](const std::string& layers) {
    return GridWith("\"lstm\"", "{architecture = \"lstm\", layers = " + layers + "}") +
           "[settings]\nlayers = 2\n";
  };
  EXPECT_EQ(Refusal(with("3")), "grid.toml:2: layers is also a setting of all runs");
  EXPECT_EQ(Refusal(with("[1, 3]")), "grid.toml:2: layers is also a setting of all runs");
  // Even if a variant's text would not mention it.
  EXPECT_EQ(Refusal(with("5")), "grid.toml:2: layers is also a setting of all runs");
  EXPECT_EQ(Refusal(GridWith("\"lstm\"", R"({architecture = "lstm", layers = 3})") +
                    "[settings]\nlayers = [1, 2]\n"),
            "grid.toml:2: layers is also a setting of all runs");
}

TEST(Grid, TheHiddenSizeIsInsteadOfBudgets) {
  const std::string all = "[settings]\nhidden = 8\n";
  EXPECT_EQ(Refusal(kSmall + all), "");
  EXPECT_FALSE(Parse(kSmall + all).SettingsOf(Parse(kSmall + all).Runs()[0]).contains("budget"));
  EXPECT_EQ(Refusal(GridWith("[1000]", "[1000, 2000]") + all),
            "grid.toml:5: hidden sets the size of a run: give one budget only");
  EXPECT_EQ(Refusal(GridWith("[1000]", "[1000, 2000]") + "[settings]\nhidden = [8, 16]\n"),
            "grid.toml:5: hidden sets the size of a run: give one budget only");
}

TEST(Grid, VariantsNameTheHiddenSizeIfThereAreNoBudgets) {
  const std::string none = GridWith("budgets = [1000]\n", "");
  EXPECT_EQ(VariantsOf(none + "[settings]\nhidden = 8\n"),
            (std::vector<std::string>{"rnn,hidden=8", "lstm,hidden=8"}));
  EXPECT_EQ(VariantsOf(none + "[settings]\nhidden = [8, 16]\n"),
            (std::vector<std::string>{"rnn,hidden=8", "rnn,hidden=16", "lstm,hidden=8",
                                      "lstm,hidden=16"}));
  const Grid grid = Parse(none + "[settings]\nhidden = 8\n");
  EXPECT_EQ(grid.Runs()[0].Path(), "parity/rnn,hidden=8/rec/short/0/1");
  const SettingTexts texts = grid.SettingsOf(grid.Runs()[0]);
  EXPECT_EQ(texts.at("hidden"), "8");
  EXPECT_FALSE(texts.contains("budget"));
  EXPECT_EQ(GridToJson(Again(grid)), GridToJson(grid));
  // A variant without a size needs a budget.
  EXPECT_NE(Refusal(none), "");
}

TEST(Grid, TakesLossesWithoutRecognition) {
  EXPECT_EQ(Parse(GridWith("\"rec\", \"rec+ns\"", "\"ns\", \"ns+lm\"")).losses,
            (std::vector<std::string>{"ns", "lm+ns"}));
}

TEST(Seeds, PlainCoordinatesGiveTheSeedsOfVersion02) {
  const Grid grid = ParseGrid(ReadFile(Version02("twelve/grid.toml")), "grid.toml");
  std::size_t compared = 0;
  for (const Coordinates& run : grid.Runs()) {
    const std::string config =
        ReadFile(Version02("twelve/sweep/runs") / run.Path() / "config.json");
    EXPECT_EQ(grid.SeedOf(run), Json::parse(config)["seed"]) << run.Path();
    ++compared;
  }
  EXPECT_EQ(compared, 12u);
}

TEST(Seeds, AreDistinctAndFollowTheBaseSeed) {
  Grid grid =
      Parse(GridWith("[\"parity\", \"first\"]", "\"paper\"") + "[settings]\nlayers = [1, 2]\n");
  std::set<std::uint64_t> seeds;
  for (const Coordinates& run : grid.Runs()) {
    EXPECT_LT(grid.SeedOf(run), std::uint64_t{1} << 53);
    seeds.insert(grid.SeedOf(run));
  }
  EXPECT_EQ(seeds.size(), 18u * 4 * 2 * 2);
  const auto first = grid.Runs()[0];
  const std::uint64_t before = grid.SeedOf(first);
  grid.seed = 1;
  EXPECT_NE(grid.SeedOf(first), before);
}

TEST(Seeds, PairedSeedsDoNotDependOnTheVariant) {
  const Grid grid = Parse(kSmall + "paired = true\n[settings]\nlayers = [1, 2]\n");
  std::map<std::string, std::set<std::uint64_t>> seeds;
  for (Coordinates run : grid.Runs()) {
    const std::uint64_t seed = grid.SeedOf(run);
    run.variant = "any";
    seeds[run.Path()].insert(seed);
  }
  std::set<std::uint64_t> all;
  for (const auto& [place, of_place] : seeds) {
    EXPECT_EQ(of_place.size(), 1u) << place;
    all.insert(of_place.begin(), of_place.end());
  }
  EXPECT_EQ(all.size(), 8u);
}

TEST(Grid, TakesLanguagesOfOnesOwn) {
  const Grid grid = Parse(GridWith("\"first\"", R"({name = "ab", language = "regex:(ab)*"})"));
  EXPECT_EQ(grid.Language("ab").language, "regex:(ab)*");
  EXPECT_EQ(grid.Runs().back().Path(), "ab/lstm/rec+ns/short/1000/2");
  const Grid again = Again(grid);
  EXPECT_EQ(again.Language("ab").language, "regex:(ab)*");
  EXPECT_EQ(again.Language("parity").language, "parity");
}

TEST(Grid, TakesTheFormatOfALanguage) {
  const Grid grid = Again(
      Parse(GridWith("\"first\"", R"({name = "ab", language = "regex:(ab)*", envelope = "a.*"})")));
  EXPECT_EQ(grid.Language("ab").envelope, "a.*");
  EXPECT_EQ(grid.Language("parity").envelope, "");
  EXPECT_EQ(Refusal(GridWith("\"first\"", R"({name = "ab", data = "/my/ab", envelope = "a.*"})")),
            "grid.toml:1: an envelope needs the language that the dataset is made from");
}

TEST(Grid, TakesDatasetsWhoseLanguageNobodyKnows) {
  const Grid grid = Again(Parse(GridWith("\"first\"", R"({name = "anbn", data = "/my/strings"})")));
  EXPECT_EQ(grid.Language("anbn").language, "");
  EXPECT_EQ(grid.Language("anbn").data, "/my/strings");
  EXPECT_EQ(grid.Language("parity").data, "");
  const Grid both = Again(
      Parse(GridWith("\"first\"", R"({name = "ab", language = "regex:(ab)*", data = "/my/ab"})")));
  EXPECT_EQ(both.Language("ab").language, "regex:(ab)*");
  EXPECT_EQ(both.Language("ab").data, "/my/ab");
}

TEST(Grid, TakesSetsOfLanguages) {
  const auto languages = [](const std::string& set) {
    std::vector<std::string> names;
    for (const auto& one : Parse(GridWith("[\"parity\", \"first\"]", set)).languages) {
      names.push_back(one.name);
    }
    return names;
  };
  EXPECT_EQ(languages("\"paper\""), PaperLanguages());
  EXPECT_EQ(languages("\"all\""), PaperLanguages());
  EXPECT_EQ(Refusal(GridWith("[\"parity\", \"first\"]", "\"parity\"")),
            "grid.toml:1: languages: 'parity' is not a list; expected a list, or one of 'all', "
            "'paper'");
}

TEST(Grid, JsonKeepsEverything) {
  const Grid grid = Parse(
      GridWith("\"lstm\"", R"({architecture = "lstm", dropout = 0.5, name = "Dropping"})") + R"(
name = "mine"
seed = 5
paired = true
data_seed = 6
[settings]
max_epochs = 3
learning_rate = [0.25, 0.5]
[data]
preset = "mlregtest"
splits.train.size = 100
)");
  EXPECT_EQ(grid.data_preset, "mlregtest");
  EXPECT_EQ(grid.data, (SettingTexts{{"splits.train.size", "100"}}));
  const Grid again = Again(grid);
  EXPECT_EQ(GridToJson(again), GridToJson(grid));
  EXPECT_EQ(again.name, "mine");
  EXPECT_TRUE(again.paired);
  EXPECT_EQ(again.data_seed, 6u);
  EXPECT_EQ(again.data_preset, "mlregtest");
  EXPECT_EQ(again.VariantOf("lstm,dropout=0.5,learning_rate=0.25").label,
            "Dropping, learning_rate=0.25");
  ASSERT_EQ(again.Runs(), grid.Runs());
  for (const Coordinates& run : grid.Runs()) EXPECT_EQ(again.SettingsOf(run), grid.SettingsOf(run));
}

// A grid that version 0.1 could have described is described as it did.
TEST(Grid, JsonSaysNothingNewOfAnOldGrid) {
  const Json json = GridToJson(Parse(kSmall));
  for (const char* member : {"labels", "paired", "data_preset", "data_directories", "envelopes"}) {
    EXPECT_FALSE(json.contains(member)) << member;
  }
}

TEST(Grid, LossesInAFileMayStandInAnyOrder) {
  Json json = GridToJson(Parse(kSmall + "[settings]\nns_coefficient = 2\n"));
  json["grid"]["losses"] = {"ns+rec"};
  const std::string text = json.dump();
  JsonReader reader;
  const Grid grid = GridFromJson(reader.Parse(text, "sweep.json"));
  EXPECT_EQ(grid.losses, std::vector<std::string>{"rec+ns"});
  EXPECT_EQ(grid.SettingsOf(grid.Runs()[0]).at("ns_coefficient"), "2");
}

TEST(Grid, RefusesMoreRunsThanItWouldEverFinish) {
  EXPECT_EQ(Refusal(GridWith("trials = 2", "trials = 12500")), "");
  EXPECT_EQ(Refusal(GridWith("trials = 2", "trials = 12501")),
            "grid.toml: 100008 runs are more than 100000");
  EXPECT_EQ(Refusal(GridWith("trials = 2", "trials = 125000000")),
            "grid.toml: 1000000000 runs are more than 100000");
}

TEST(Grid, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(Refusal(kSmall + "trails = 3\n"),
            "grid.toml:7: unknown key 'trails'; did you mean trials?");
  EXPECT_EQ(Refusal(kSmall + "name = 3\n"), "grid.toml:7: name: expected a word");
  EXPECT_EQ(Refusal(kSmall + "paired = 1\n"), "grid.toml:7: paired: expected true or false");
  EXPECT_EQ(Refusal("languages = [\"parity\"\n"),
            "grid.toml:1: Error while parsing array: encountered end-of-file");
  EXPECT_EQ(Refusal("languages = \"all\"\n"), "grid.toml: has no architectures");
  EXPECT_EQ(Refusal(GridWith("1000", "0")), "grid.toml:5: budgets: expected numbers from 1");
  EXPECT_EQ(Refusal(GridWith("[1000]", "[]")),
            "grid.toml:5: budgets: expected a list that is not empty");
  EXPECT_EQ(Refusal(GridWith("trials = 2", "trials = 0")),
            "grid.toml:6: trials: expected a number from 1");
  EXPECT_EQ(Refusal(GridWith("\"first\"", "\"parity\"")),
            "grid.toml:1: languages: a value is listed twice");
  EXPECT_EQ(Refusal(GridWith("\"lstm\"", "\"rnn\"")),
            "grid.toml:2: architectures: a value is listed twice");
  EXPECT_THAT(
      Refusal(GridWith("rec+ns", "rec+n")),
      AllOf(StartsWith("grid.toml:3: loss: 'rec+n' is not a sum of terms, each once, of rec, lm, "),
            EndsWith("; did you mean rec+ns?")));
}

TEST(Grid, SaysWhatItShowsAndCostsWithoutBecomingAnotherGrid) {
  const Grid grid = Parse(kSmall + "[about]\nshows = \"that it works\"\ncore_hours = 2.5\n");
  EXPECT_EQ(grid.shows, "that it works");
  EXPECT_EQ(grid.core_hours, 2.5);
  EXPECT_EQ(GridToJson(grid), GridToJson(Parse(kSmall)));
  EXPECT_EQ(Parse(kSmall).core_hours, std::nullopt);
  EXPECT_EQ(Refusal(kSmall + "[about]\ncore_hours = 0\n"),
            "grid.toml:8: core_hours: expected a number above 0");
  EXPECT_EQ(Refusal(kSmall + "[about]\ncore_hours = \"two\"\n"),
            "grid.toml:8: core_hours: expected a number above 0");
  EXPECT_EQ(Refusal(kSmall + "about = 2\n"), "grid.toml:7: [about] must be a table");
  EXPECT_EQ(Refusal(kSmall + "[about]\nshow = \"x\"\n"),
            "grid.toml:8: unknown key 'show'; did you mean shows?");
}

TEST(Grid, SaysWhatIsTunedAndWhatReportsShow) {
  const std::string axes = "[settings]\nlearning_rate = [0.25, 0.5]\ndropout = [0.1]\n";
  const Grid grid = Parse(kSmall + "tuned = [\"learning_rate\"]\n" + axes +
                          "[report]\nmetric = \"next_symbol_accuracy_positions\"\nreach = 0.75\n");
  EXPECT_EQ(grid.report.tuned, std::vector<std::string>{"learning_rate"});
  EXPECT_EQ(grid.report.reach, 0.75);
  const Grid again = Again(grid);
  EXPECT_EQ(again.report.metric, "next_symbol_accuracy_positions");
  EXPECT_EQ(GridToJson(again), GridToJson(grid));
  // An architecture's own list is an axis, too; a list of one value is none.
  EXPECT_EQ(Parse(GridWith("\"lstm\"", R"({architecture = "lstm", layers = [2, 3]})") +
                  "tuned = [\"layers\"]\n")
                .report.tuned,
            std::vector<std::string>{"layers"});
  EXPECT_EQ(Refusal(kSmall + "tuned = [\"dropout\"]\n" + axes),
            "grid.toml:7: tuned: dropout has no two values in this grid; give it a list: dropout = "
            "[..., ...]");
  EXPECT_THAT(Refusal(kSmall + "[report]\nmetric = \"beauty\"\n"), HasSubstr("report.metric"));
  EXPECT_EQ(Refusal(GridWith(", \"rec+ns\"", "") +
                    "[report]\nmetric = \"next_symbol_accuracy_strings\"\n"),
            "grid.toml:7: report.metric: no loss of the grid gives next_symbol_accuracy_strings; "
            "the losses are rec");
}

// On the line where somebody wrote it, of a list too.
TEST(Grid, ErrorsOfSettingsNameTheirLine) {
  EXPECT_EQ(Refusal(kSmall + "[settings]\nlayers = 0\n"),
            "grid.toml:8: layers: '0' is not a whole number from 1 to 1000");
  EXPECT_EQ(Refusal(kSmall + "[settings]\ndropout = 0\nlayers = [2, 0]\n"),
            "grid.toml:9: layers: '0' is not a whole number from 1 to 1000");
  EXPECT_EQ(Refusal(GridWith("\"lstm\"", "{architecture = \"lstm\", layers = 0}")),
            "grid.toml:2: layers: '0' is not a whole number from 1 to 1000");
  const Grid grid = Parse(kSmall + "[data]\npreset = \"flare\"\nsplits.train.size = 3\n");
  EXPECT_EQ(grid.data_places.Line("preset"), "grid.toml:8");
  EXPECT_EQ(grid.data_places.Line("splits.train.size"), "grid.toml:9");
}

TEST(Grid, RefusesLanguagesThatItCannotName) {
  EXPECT_EQ(Refusal(GridWith("\"first\"", "\"regex:a*\"")),
            "grid.toml:1: 'regex:a*' needs a name; write {name = \"NAME\", language = "
            "\"regex:...\"}");
  for (const char* language :
       {"3", "{name = \"ab\"}", "{language = \"regex:a\"}", "{name = \"ab\", data = 3}"}) {
    EXPECT_EQ(Refusal(GridWith("\"first\"", language)),
              "grid.toml:1: a language is a name, {name = ..., language = ...}, {name = ..., "
              "data = DIRECTORY} or {atlas = STATES}")
        << language;
  }
  for (const char* atlas : {"{atlas = \"3\"}", "{atlas = 0}", "{atlas = -1}", "{atlas = []}"}) {
    EXPECT_EQ(Refusal(GridWith("\"first\"", atlas)),
              "grid.toml:1: atlas: expected a number of states, as {atlas = 3}")
        << atlas;
  }
  EXPECT_EQ(Refusal(GridWith("\"first\"", "{atlas = 3, name = \"x\"}")),
            "grid.toml:1: unknown key 'name'; expected atlas");
  EXPECT_EQ(Refusal(GridWith("\"first\"", "{name = \"ab\", dat = \"x\"}")),
            "grid.toml:1: unknown key 'dat'; did you mean data?");
  EXPECT_NE(Refusal(GridWith("\"first\"", "\"../up\"")), "");
}

TEST(Grid, RefusesArchitecturesAndSettingsThatDoNotExist) {
  EXPECT_THAT(Refusal(GridWith("\"rnn\"", "\"rnm\"")),
              AllOf(StartsWith("grid.toml:2: architecture: 'rnm' is not one of rnn, lstm, "),
                    EndsWith("; did you mean rnn?")));
  EXPECT_EQ(
      Refusal(GridWith("\"rnn\"", "3")),
      "grid.toml:2: an architecture is a name, {architecture = ..., SETTING = ...} or {name = "
      "..., command = [...], SETTING = ...}");
  EXPECT_THAT(Refusal(GridWith("\"rnn\"", "{layers = 2}")),
              StartsWith("grid.toml:2: has neither an architecture nor a command"));
  EXPECT_THAT(Refusal(GridWith("\"rnn\"", "{name = \"mamba\", eigenvalues = \"signed\"}")),
              HasSubstr("name is what tables call it: {architecture = 'mamba'"));
  EXPECT_EQ(Refusal(GridWith("\"rnn\"", "{architecture = [\"rnn\", \"gru\"]}")),
            "grid.toml:2: architecture: expected a single value");
  EXPECT_EQ(Refusal(GridWith("\"rnn\"", "{architecture = \"rnn\", name = [\"a\", \"b\"]}")),
            "grid.toml:2: name: expected a single value");
  EXPECT_EQ(Refusal(GridWith("\"rnn\"", "{architecture = \"rnn\", trial = 2}")),
            "grid.toml:2: unknown setting 'trial'");
  EXPECT_EQ(Refusal(kSmall + "[settings]\nlearning_rates = 1\n"),
            "grid.toml:8: unknown setting 'learning_rates'; did you mean learning_rate?");
  EXPECT_EQ(Refusal(kSmall + "[settings]\nlayers = []\n"),
            "grid.toml:8: layers: the list is empty");
  EXPECT_EQ(Refusal(kSmall + "[settings]\nseed = 1\n"),
            "grid.toml:8: settings.seed: a coordinate of the grid, not a setting");
  EXPECT_EQ(Refusal(kSmall + "[settings]\nseed = [1, 2]\n"),
            "grid.toml:8: seed: a coordinate of the grid, not a setting");
}

}  // namespace
}  // namespace flare
