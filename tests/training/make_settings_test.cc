#include "flare/training/make_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "flare/base/error.h"
#include "flare/nn/architectures.h"
#include "flare/nn/model.h"
#include "flare/runs/external.h"
#include "support/refusal.h"

namespace flare {
namespace {

using testing::HasSubstr;

const SettingTexts kLeast = {{"architecture", "lstm"}, {"loss", "rec"}, {"validation", "short"}};

SettingTexts With(SettingTexts settings, const std::string& key, const std::string& value) {
  settings[key] = value;
  return settings;
}

std::string ErrorOf(const SettingTexts& settings) {
  try {
    MakeSettings(settings, 2);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(MakeSettings, TakesThePapersValuesByDefault) {
  const RunSettings config = MakeSettings(kLeast, 2);
  EXPECT_EQ(config.validation, "validation-short");
  EXPECT_EQ(config.layers, 5u);
  EXPECT_EQ(config.hidden, 40u);
  EXPECT_EQ(config.dropout, 0.1);
  EXPECT_EQ(config.max_epochs, 1000u);
  EXPECT_EQ(config.checkpoint_examples, 10'000u);
  EXPECT_EQ(config.learning_rate_factor, 0.5);
  EXPECT_EQ(config.learning_rate_patience, 5u);
  EXPECT_EQ(config.stopping_patience, 10u);
  EXPECT_EQ(config.clip_norm, 5);
  EXPECT_EQ(MakeSettings(With(kLeast, "architecture", "rnn"), 2).hidden, 79u);
  EXPECT_EQ(MakeSettings(With(kLeast, "architecture", "transformer"), 2).hidden, 32u);
}

// Kolmogorov–Smirnov distance of draws to a uniform law; 2000 draws stay below 0.05 with
// probability 1 − 2e-4, and the seeds are fixed.
double DistanceToUniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto n = static_cast<double>(values.size());
    distance = std::max({distance, std::abs(values[i] - static_cast<double>(i) / n),
                         std::abs(values[i] - static_cast<double>(i + 1) / n)});
  }
  return distance;
}

TEST(MakeSettings, DrawsFromTheDistributionsOfAppendixD) {
  std::vector<double> B, rate, lm, ns;
  for (int seed = 0; seed < 2000; ++seed) {
    const RunSettings c =
        MakeSettings(With(With(kLeast, "loss", "rec+lm+ns"), "seed", std::to_string(seed)), 2);
    EXPECT_GE(c.batch_tokens, 128u);
    EXPECT_LE(c.batch_tokens, 4096u);
    B.push_back((static_cast<double>(c.batch_tokens) - 128 + 0.5) / (4096 - 128 + 1));
    rate.push_back(std::log10(c.learning_rate / 1e-4) / 2);
    lm.push_back(std::log10(c.coefficients.at("lm") / 0.01) / 3);
    ns.push_back(std::log10(c.coefficients.at("ns") / 0.01) / 3);
    EXPECT_EQ(c.drawn.size(), 4u);
  }
  for (const auto* draws : {&B, &rate, &lm, &ns}) {
    EXPECT_GE(*std::min_element(draws->begin(), draws->end()), 0);
    EXPECT_LE(*std::max_element(draws->begin(), draws->end()), 1);
    EXPECT_LT(DistanceToUniform(*draws), 0.05);
  }
  // Independent of each other: the correlation of 2000 draws is within 5 standard deviations of 0.
  double covariance = 0;
  for (std::size_t i = 0; i < lm.size(); ++i) covariance += (lm[i] - 0.5) * (ns[i] - 0.5);
  EXPECT_LT(std::abs(covariance * 12 / 2000), 5 / std::sqrt(2000.0));
}

// A run's seed means the same settings in every version.
TEST(MakeSettings, DrawsAreKnown) {
  const RunSettings c = MakeSettings(With(With(kLeast, "loss", "rec+lm+ns"), "seed", "7"), 2);
  EXPECT_EQ(c.batch_tokens, 697u);
  EXPECT_DOUBLE_EQ(c.learning_rate, 0.001603916565019436);
  EXPECT_DOUBLE_EQ(c.coefficients.at("lm"), 0.14592150116351185);
  EXPECT_DOUBLE_EQ(c.coefficients.at("ns"), 0.024201117930661743);
}

TEST(MakeSettings, GivingASettingChangesNoOtherDraw) {
  const RunSettings drawn = MakeSettings(kLeast, 2);
  const RunSettings given = MakeSettings(With(kLeast, "learning_rate", "0.5"), 2);
  EXPECT_EQ(given.learning_rate, 0.5);
  EXPECT_EQ(given.batch_tokens, drawn.batch_tokens);
  EXPECT_EQ(given.drawn, std::vector<std::string>{"batch_tokens"});
}

TEST(MakeSettings, JsonKeepsEveryBit) {
  for (const char* loss : {"rec", "rec+lm", "rec+ns", "rec+lm+ns"}) {
    const RunSettings settings = MakeSettings(With(kLeast, "loss", loss), 3);
    const Json json = SettingsToJson(settings);
    JsonReader reader;
    const RunSettings back = SettingsFromJson(reader.Parse(json.dump(), "config.json"), {});
    EXPECT_EQ(SettingsToJson(back), json);
    EXPECT_EQ(back.learning_rate, settings.learning_rate);
    EXPECT_EQ(json["lm_coefficient"].is_null(), !settings.coefficients.contains("lm"));
    EXPECT_EQ(json["ns_coefficient"].is_null(), !settings.coefficients.contains("ns"));
  }
}

TEST(MakeSettings, RefusesWhatDoesNotFit) {
  EXPECT_EQ(ErrorOf(With(kLeast, "architecture", "ltsm")),
            "--architecture: 'ltsm' is not one of rnn, lstm, gru, transformer, mamba, deltanet, "
            "mlstm, slstm, stack-rnn, stack-lstm, gla, mamba2, rwkv7");
  EXPECT_EQ(ErrorOf(With(kLeast, "loss", "rec+ml")),
            "--loss: 'rec+ml' is not a sum of terms, each once, of rec, lm, ns, st and st_last");
  EXPECT_EQ(ErrorOf(With(kLeast, "layers", "0")),
            "--layers: '0' is not a whole number from 1 to 1000");
  EXPECT_EQ(ErrorOf(With(kLeast, "layers", "2.5")),
            "--layers: '2.5' is not a whole number from 1 to 1000");
  EXPECT_EQ(ErrorOf(With(kLeast, "learning_rate", "nan")),
            "--learning-rate: 'nan' is not a number from 0 to 1e+38");
  EXPECT_EQ(ErrorOf(With(kLeast, "dropout", "1")), "--dropout: '1' is not a number from 0 to 0.99");
  EXPECT_EQ(ErrorOf(With(kLeast, "lm_coefficient", "1")),
            "--lm-coefficient: the loss rec has no such term");
  EXPECT_EQ(ErrorOf(With(With(kLeast, "hidden", "8"), "budget", "1000")),
            "--hidden and --budget both set the size: give one of them");
  EXPECT_EQ(ErrorOf(With(With(kLeast, "architecture", "transformer"), "hidden", "12")),
            "--hidden: 12 is not a multiple of 8, which the transformer needs");
  EXPECT_EQ(ErrorOf(With(kLeast, "colour", "red")), "unknown setting 'colour'");
  EXPECT_EQ(ErrorOf(With(kLeast, "max_epochs", "9223372036854775808")),
            "--max-epochs: '9223372036854775808' is not a whole number from 0 to 1000000000");
}

SettingTexts Recipe(SettingTexts more) {
  more.insert(kLeast.begin(), kLeast.end());
  return more;
}

// Contradictory recipes are refused, and both settings are named.
TEST(MakeSettings, RefusesRecipesThatContradictThemselves) {
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "cosine"}})),
            "--schedule: cosine ends with the training, whose length is not known");
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "cosine"}, {"max_steps", "100"}})), "");
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "linear"}, {"max_epochs", "3"}})), "");
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "constant"}, {"learning_rate_patience", "3"}})),
            "--learning-rate-patience: 3 has no effect with schedule = constant");
  EXPECT_EQ(ErrorOf(Recipe({{"max_steps", "10"}, {"warmup_steps", "10"}})),
            "--warmup-steps: 10, and max_steps is 10: nothing is left after the warm-up");
  EXPECT_EQ(ErrorOf(Recipe({{"momentum", "0.9"}})),
            "--momentum: 0.9 has no effect with optimizer = adam");
  EXPECT_EQ(ErrorOf(Recipe({{"optimizer", "sgd"}, {"adam_beta1", "0.8"}})),
            "--adam-beta1: 0.8 has no effect with optimizer = sgd");
  EXPECT_EQ(ErrorOf(Recipe({{"optimizer", "adamw"}, {"weight_decay_on", "all"}})),
            "--weight-decay-on: all has no effect with weight_decay = 0");
  EXPECT_EQ(ErrorOf(Recipe({{"optimizer", "lion"}})),
            "--optimizer: 'lion' is not one of adam, adamw, sgd, rmsprop");
  EXPECT_EQ(ErrorOf(Recipe({{"checkpoint_steps", "5"}, {"checkpoint_examples", "5"}})),
            "--checkpoint-steps: checkpoint_steps and checkpoint_examples both say when to "
            "validate: give one of them");
  EXPECT_EQ(ErrorOf(Recipe({{"max_epochs", "0"}})),
            "--max-epochs: 0, and max_steps is 0: nothing would end training");
  EXPECT_EQ(ErrorOf(Recipe({{"stop_at", "state_accuracy_strings >= 1"}})),
            "--stop-at: 'state_accuracy_strings' is not measured with loss = rec");
  EXPECT_EQ(ErrorOf(Recipe({{"loss", "st"}, {"stop_at", "state_accuracy_strings >= 1"}})), "");
  EXPECT_EQ(ErrorOf(Recipe({{"stop_for", "3"}})), "--stop-for: 3 has no effect without stop_at");
  EXPECT_EQ(ErrorOf(Recipe({{"loss", "st"}, {"select", "accuracy"}})),
            "--select: 'accuracy' is not measured with loss = st");
  EXPECT_EQ(ErrorOf(Recipe({{"loss", "st"}, {"readout", "eos"}})),
            "--readout: eos is what recognition looks at, and loss = st has no rec");
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "cosine"}, {"max_epochs", "3"}, {"train_data", "fresh"}})),
            "--schedule: cosine ends with the training, whose number of steps does not follow from "
            "max_epochs with train_data = fresh");
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "linear"}, {"max_epochs", "3"}, {"curriculum", "0:5"}})),
            "--schedule: linear ends with the training, whose number of steps does not follow from "
            "max_epochs with a curriculum");
  EXPECT_EQ(ErrorOf(Recipe({{"schedule", "cosine"}, {"max_steps", "3"}, {"train_data", "fresh"}})),
            "");
  EXPECT_EQ(ErrorOf(Recipe({{"max_steps", "50"}, {"curriculum", "0:5+50:8"}})),
            "--curriculum: its last stage begins at step 50, and max_steps is 50");
  EXPECT_EQ(ErrorOf(Recipe({{"curriculum", "0:5+5:4"}})),
            "--curriculum: '0:5+5:4' is not a curriculum: length 4 comes after 5");
  EXPECT_EQ(ErrorOf(Recipe({{"train_data", "fersh"}})),
            "--train-data: 'fersh' is not one of fixed, fresh");
  EXPECT_EQ(ErrorOf(Recipe({{"init_from", "no-such-run"}})),
            "--init-from: 'no-such-run' has no model");
}

TEST(MakeSettings, CompletesWhatFollowsFromOtherSettings) {
  RunSettings settings = MakeSettings(Recipe({{"max_steps", "100"}}), 2);
  EXPECT_EQ(settings.max_epochs, 0u);
  EXPECT_EQ(settings.select, "recognition_cross_entropy");
  settings = MakeSettings(Recipe({{"max_steps", "100"}, {"max_epochs", "3"}}), 2);
  EXPECT_EQ(settings.max_epochs, 3u);
  settings = MakeSettings(Recipe({{"checkpoint_steps", "7"}}), 2);
  EXPECT_EQ(settings.checkpoint_examples, 0u);
  // The terms are the objective: their weights are not drawn.
  settings = MakeSettings(Recipe({{"loss", "ns+lm"}, {"lm_coefficient", "0.5"}}), 2);
  EXPECT_EQ(settings.select, "loss");
  EXPECT_EQ(settings.coefficients.at("lm"), 0.5);
  EXPECT_EQ(settings.coefficients.at("ns"), 1);
  EXPECT_EQ(settings.drawn, (std::vector<std::string>{"batch_tokens", "learning_rate"}));
}

// A file that lacks a setting has the value from before it existed.
TEST(MakeSettings, ReadsFilesFromBeforeASettingExisted) {
  const RunSettings settings = MakeSettings(kLeast, 3);
  const Json json = SettingsToJson(settings);
  for (const char* key :
       {"max_steps", "checkpoint_steps", "schedule", "warmup_steps", "learning_rate_floor",
        "stop_at", "stop_for", "select", "optimizer", "weight_decay", "weight_decay_on", "momentum",
        "rmsprop_decay", "readout", "init", "init_from"}) {
    EXPECT_FALSE(json.contains(key)) << key;  // what is as it was is not written
  }
  JsonReader reader;
  const RunSettings back = SettingsFromJson(reader.Parse(json.dump(), "config.json"), {});
  EXPECT_EQ(SettingsDifference(back, settings), "");
}

TEST(MakeSettings, RefusesModelsThatAreTooLarge) {
  EXPECT_EQ(ErrorOf(With(kLeast, "budget", "1000000000")),
            "--budget: '1000000000' is not a whole number from 0 to 100000000");
  const SettingTexts large = With(With(kLeast, "hidden", "8192"), "layers", "1000");
  EXPECT_THAT(ErrorOf(large), HasSubstr("parameters, more than 120000000"));
  EXPECT_EQ(ErrorOf(With(kLeast, "budget", "100000000")), "");
  // The count is that of the model.
  for (const Architecture& architecture : Architectures()) {
    const ModelConfig config{.architecture = architecture.name,
                             .vocabulary = 7,
                             .layers = 2,
                             .hidden = 16,
                             .terms = {"lm", "ns"},
                             .options = {}};
    EXPECT_EQ(NumParameters(config), Model(config).parameters().Count(false)) << architecture.name;
  }
}

// It reads the dataset's files itself.
TEST(MakeExternalSettings, RefusesWhatTheProgramDoesItself) {
  const External mine{"mine", {"./mine"}, {}};
  const auto refusal = [&](const std::string& key, const std::string& value) {
    return RefusalOf([&] {
      MakeExternalSettings({{"architecture", "mine"},
                            {"loss", "rec"},
                            {"validation", "short"},
                            {"seed", "1"},
                            {key, value}},
                           mine);
    });
  };
  EXPECT_EQ(refusal("train_data", "fixed"), "");
  EXPECT_EQ(
      refusal("train_data", "fresh"),
      "--train-data: mine trains itself, and what it draws from the dataset's files is its own "
      "business");
  EXPECT_EQ(
      refusal("curriculum", "[[0, 5]]"),
      "--curriculum: mine trains itself, and what it draws from the dataset's files is its own "
      "business");
  EXPECT_EQ(refusal("init", "xavier"),
            "--init: mine trains itself, and its weights are its own business");
}

// Modules that flarelang trains read the whole recipe, but are made before it.
TEST(MakeExternalSettings, GiveAModuleOfPythonEverySettingButThoseOfItsMaking) {
  for (const auto& command : {std::vector<std::string>{"flarelang.fit"},
                              {"python3", "-m", "flarelang.external", "mine:Net"}}) {
    const External mine{"mine", command, {}};
    const auto refusal = [&](const std::string& key, const std::string& value) {
      return RefusalOf([&] {
        MakeExternalSettings({{"architecture", "mine"},
                              {"loss", "rec"},
                              {"validation", "short"},
                              {"seed", "1"},
                              {key, value}},
                             mine);
      });
    };
    EXPECT_EQ(refusal("train_data", "fresh"), "");
    EXPECT_EQ(refusal("curriculum", "[[0, 5]]"), "");
    EXPECT_THAT(refusal("init_from", "nowhere"), HasSubstr("'nowhere' has no model"));
    EXPECT_THAT(refusal("init", "xavier"),
                HasSubstr("--init: xavier is a rule for the parameters"));
    EXPECT_THAT(refusal("readout", "eos"), HasSubstr("--readout: eos is decided by the module"));
  }
}

}  // namespace
}  // namespace flare
