#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/nn/architectures.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "support/refusal.h"
#include "support/version02.h"

namespace flare {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kOldRun =
    Version02("twelve/sweep/runs/parity/lstm/rec+lm+ns/short/2000/1");

const SettingTexts kLeast = {{"architecture", "lstm"}, {"loss", "rec"}, {"validation", "short"}};

SettingTexts With(const std::string& key, const std::string& value,
                  SettingTexts settings = kLeast) {
  settings[key] = value;
  return settings;
}

std::string Refusal(const SettingTexts& settings, const std::string& where = "") {
  return RefusalOf([&] { ParseSettings(settings, where); });
}

TEST(ParseSettings, KeepsTheDefaultsOfWhatIsNotGiven) {
  const RunSettings settings = ParseSettings(With("layers", "2"), "");
  EXPECT_EQ(settings.layers, 2u);
  EXPECT_EQ(settings.budget, 64'000u);
  EXPECT_EQ(settings.dropout, 0.1);
  EXPECT_EQ(settings.target, "avx2");
  EXPECT_TRUE(settings.coefficients.empty());
  EXPECT_TRUE(settings.options.empty());
}

TEST(ParseSettings, TakesLossesInAnyOrderAndTheirCoefficients) {
  const RunSettings settings =
      ParseSettings(With("ns_coefficient", "0.5", With("loss", "ns+rec+lm")), "");
  EXPECT_EQ(settings.loss, "rec+lm+ns");
  EXPECT_TRUE(settings.coefficients.contains("lm"));
  EXPECT_EQ(settings.coefficients.at("ns"), 0.5);
}

TEST(ParseSettings, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(Refusal(With("learning_rat", "1")),
            "unknown setting 'learning_rat'; did you mean learning_rate?");
  EXPECT_EQ(Refusal(With("position", "none"), "grid.toml"),
            "grid.toml: unknown setting 'position'; did you mean positions?");
  // What others call it comes before what is written alike.
  EXPECT_EQ(Refusal(With("lr", "1")), "unknown setting 'lr'; did you mean learning_rate?");
  EXPECT_EQ(Refusal(With("epochs", "1"), "grid.toml"),
            "grid.toml: unknown setting 'epochs'; did you mean max_epochs?");
  EXPECT_EQ(Refusal(With("batch_size", "1")),
            "unknown setting 'batch_size'; did you mean batch_tokens? it counts symbols, with "
            "padding, not strings");
  EXPECT_EQ(Refusal(With("colour", "red")), "unknown setting 'colour'");
  EXPECT_EQ(Refusal(With("nm_coefficient", "1")),
            "unknown setting 'nm_coefficient'; did you mean lm_coefficient?");
  EXPECT_THAT(Refusal(With("architecture", "ltsm")),
              AllOf(StartsWith("--architecture: 'ltsm' is not one of rnn, lstm, gru, transformer,"),
                    EndsWith("; did you mean lstm?")));
  EXPECT_EQ(Refusal(With("target", "sse"), "grid.toml"),
            "grid.toml: target: 'sse' is not one of avx2, avx512, native, portable");
}

TEST(ParseSettings, RefusesValuesThatDoNotFit) {
  EXPECT_EQ(Refusal(With("layers", "0")), "--layers: '0' is not a whole number from 1 to 1000");
  EXPECT_EQ(Refusal(With("layers", "2.5"), "grid.toml"),
            "grid.toml: layers: '2.5' is not a whole number from 1 to 1000");
  EXPECT_EQ(Refusal(With("learning_rate", "nan")),
            "--learning-rate: 'nan' is not a number from 0 to 1e+38");
  EXPECT_EQ(Refusal(With("max_epochs", "9223372036854775808")),
            "--max-epochs: '9223372036854775808' is not a whole number from 0 to 1000000000");
}

TEST(ParseSettings, RefusesACoefficientWithoutItsTerm) {
  EXPECT_EQ(Refusal(With("lm_coefficient", "1", With("loss", "rec+ns"))),
            "--lm-coefficient: the loss rec+ns has no such term");
  EXPECT_EQ(Refusal(With("lm_coefficient", "-1", With("loss", "rec+lm"))),
            "--lm-coefficient: '-1' is not a number from 0 to 1000000");
}

TEST(ParseSettings, GivesEveryOptionOfTheArchitectureAValue) {
  const SettingTexts transformer = With("architecture", "transformer");
  const OptionTexts options = ParseSettings(transformer, "").options;
  EXPECT_EQ(options.size(), FindArchitecture("transformer")->options.size());
  EXPECT_EQ(options.at("heads"), "8");
  EXPECT_EQ(options.at("positions"), "sinusoidal");
  EXPECT_EQ(ParseSettings(With("heads", "04", transformer), "").options.at("heads"), "4");
  EXPECT_THAT(Refusal(With("positions", "nome", transformer)),
              AllOf(StartsWith("--positions: 'nome' is not one of sinusoidal, none"),
                    EndsWith("; did you mean none?")));
  EXPECT_EQ(Refusal(With("heads", "65", transformer)),
            "--heads: '65' is not a whole number from 1 to 64");
  EXPECT_EQ(Refusal(With("positions", "none")),
            "--positions: the lstm has no such option; it is an option of transformer");
}

// Of a run that has been completed.
RunSettings Completed(const SettingTexts& texts) {
  RunSettings settings = ParseSettings(texts, "");
  settings.hidden = 40;
  settings.batch_tokens = 128;
  settings.learning_rate = 0.1 + 0.2;
  settings.arithmetic = "0.2";
  return settings;
}

RunSettings Again(const RunSettings& settings) {
  JsonReader reader;
  const std::string text = SettingsToJson(settings).dump();
  return SettingsFromJson(reader.Parse(text, "config.json"), {});
}

TEST(Settings, JsonKeepsEveryBit) {
  for (const char* loss : {"rec", "rec+lm", "rec+ns", "rec+lm+ns"}) {
    RunSettings settings = Completed(
        With("loss", loss, With("architecture", "transformer", With("positions", "none"))));
    settings.seed = 9'007'199'254'740'991;
    for (auto& [term, coefficient] : settings.coefficients) coefficient = 1.0 / 3;
    settings.native_target = "avx512";
    settings.drawn = {"learning_rate"};
    const RunSettings again = Again(settings);
    EXPECT_EQ(SettingsToJson(again), SettingsToJson(settings)) << loss;
    EXPECT_EQ(again.learning_rate, settings.learning_rate);
    EXPECT_EQ(again.coefficients, settings.coefficients);
    EXPECT_EQ(again.options, settings.options);
    EXPECT_EQ(again.native_target, "avx512");
    EXPECT_EQ(again.drawn, settings.drawn);
  }
}

TEST(Settings, SaySoIfTheHiddenSizeWasGiven) {
  RunSettings settings = Completed(kLeast);
  settings.budget = 0;
  EXPECT_TRUE(SettingsToJson(settings)["budget"].is_null());
  EXPECT_EQ(Again(settings).budget, 0u);
}

TEST(Settings, AreListedAsTextsInTheOrderOfTheFile) {
  RunSettings settings = ParseSettings(With("loss", "rec+ns"), "");
  settings.learning_rate = 1e-5;
  settings.coefficients["ns"] = 0.5;
  settings.drawn = {"learning_rate"};
  const auto list = SettingsList(settings);
  EXPECT_EQ(list.front(), (std::pair<std::string, std::string>{"architecture", "lstm"}));
  for (const auto& [key, text] : list) EXPECT_NE(key, "drawn");
  EXPECT_EQ(SettingText(settings, "learning_rate"), "1e-05");
  EXPECT_EQ(SettingText(settings, "ns_coefficient"), "0.5");
  EXPECT_EQ(SettingText(settings, "lm_coefficient"), "");
  EXPECT_EQ(SettingText(settings, "colour"), "");
}

TEST(Settings, DifferByWhatWasAskedForOnly) {
  RunSettings there = ParseSettings(kLeast, "");
  RunSettings wanted = there;
  there.drawn = {"learning_rate"};
  there.arithmetic = "0.1";
  wanted.arithmetic = "0.2";
  EXPECT_EQ(SettingsDifference(there, wanted), "");
  there.learning_rate = 0.001;
  wanted.learning_rate = 0.01;
  EXPECT_EQ(SettingsDifference(there, wanted), "learning_rate is 0.001, not 0.01");
}

class OldRun : public testing::Test {
 protected:
  RunConfig Read() const {
    JsonReader reader;
    return ConfigFromJson(reader.Read(kOldRun / "config.json"));
  }
  // With its text changed.
  static std::string RefusalWith(const std::string& from, const std::string& to) {
    std::string text = ReadFile(kOldRun / "config.json");
    text.replace(text.find(from), from.size(), to);
    JsonReader reader;
    return RefusalOf([&] { ConfigFromJson(reader.Parse(text, "config.json")); });
  }
};

TEST_F(OldRun, IsWrittenAsItWas) {
  const RunConfig config = Read();
  EXPECT_EQ(config.settings.arithmetic, "0.2");
  EXPECT_EQ(config.settings.seed, 7838766498977845u);
  EXPECT_EQ(config.data.path, "/home/ada/data/parity");
  EXPECT_EQ(CheckedText(ConfigToJson(config)), ReadFile(kOldRun / "config.json"));
}

// A run that was made before its architecture had an option is the run that is asked for today
// without mentioning the option, and no other.
TEST(Settings, MissingLaterOptionHasItsDefault) {
  const RunSettings wanted = Completed(With("architecture", "mamba"));
  Json json = SettingsToJson(wanted);
  ASSERT_EQ(json.erase("eigenvalues"), 1u);
  JsonReader reader;
  const RunSettings there = SettingsFromJson(reader.Parse(json.dump(), "config.json"), {});
  EXPECT_EQ(there.options.at("eigenvalues"), "positive");
  EXPECT_EQ(SettingsDifference(there, wanted), "");
  RunSettings other = wanted;
  other.options["eigenvalues"] = "signed";
  EXPECT_EQ(SettingsDifference(there, other), "eigenvalues is \"positive\", not \"signed\"");
}

TEST_F(OldRun, LacksLossTermsThatCameLater) {
  const RunConfig config = Read();
  const Json json = ConfigToJson(config);
  EXPECT_TRUE(json.contains("ns_coefficient"));
  for (const char* term : {"st", "st_last"}) {
    EXPECT_FALSE(config.settings.coefficients.contains(term));
    EXPECT_FALSE(json.contains(CoefficientKey(term)));
  }
}

TEST_F(OldRun, MissingOptionalSettingHasItsDefault) {
  std::string text = ReadFile(kOldRun / "config.json");
  const std::string line = "  \"clip_norm\": 5.0,\n";
  text.erase(text.find(line), line.size());
  JsonReader reader;
  EXPECT_EQ(ConfigFromJson(reader.Parse(text, "")).settings.clip_norm, 5);
}

TEST_F(OldRun, UnknownMemberIsRefused) {
  EXPECT_EQ(RefusalWith("\"clip_norm\"", "\"clip_nrom\""),
            "config.json: unknown setting 'clip_nrom'; did you mean clip_norm?");
  EXPECT_EQ(RefusalWith("\"format\": 1", "\"format\": 2"),
            "config.json: its format is 2, and this program knows formats up to 1; a newer version "
            "of flare wrote it");
  EXPECT_EQ(RefusalWith("\"layers\": 1", "\"layers\": \"one\""),
            "config.json: layers: 'one' is not a whole number from 1 to 1000");
  EXPECT_EQ(RefusalWith("\"layers\": 1,", ""), "config.json: 'layers' is missing");
  EXPECT_EQ(RefusalWith("\"seed\": 7838766498977845", "\"seed\": -1"),
            "config.json: seed: '-1' is not a whole number from 0 to 18000000000000000000");
}

TEST_F(OldRun, IsAnotherRunWithOtherData) {
  const RunConfig there = Read();
  RunConfig wanted = there;
  wanted.data.path = "/elsewhere/parity";
  EXPECT_EQ(ConfigDifference(there, wanted), "");
  wanted.data.files["main.tok"] = "0";
  EXPECT_THAT(ConfigDifference(there, wanted), HasSubstr("data.sha256 is"));
}

}  // namespace
}  // namespace flare
