// Every setting that can be asked for is written down, and reaches the code that uses it: a tiny
// run with another value of it must come out differently.

#include <gtest/gtest.h>

#include "flare/base/file.h"
#include "flare/training/run.h"
#include "support/paths.h"
#include "support/same_run.h"
#include "support/shell.h"
#include "support/small_dataset.h"

namespace flare {
namespace {

const std::map<std::string, std::string> kBase = {{"architecture", "lstm"},
                                                  {"loss", "rec+lm+ns"},
                                                  {"validation", "short"},
                                                  {"seed", "3"},
                                                  {"layers", "1"},
                                                  {"hidden", "8"},
                                                  {"batch_tokens", "200"},
                                                  {"learning_rate", "0.3"},
                                                  {"lm_coefficient", "0.5"},
                                                  {"ns_coefficient", "0.5"},
                                                  {"max_epochs", "14"},
                                                  {"checkpoint_examples", "100"},
                                                  {"learning_rate_patience", "2"},
                                                  {"stopping_patience", "6"},
                                                  {"clip_norm", "0.5"}};

// Another value of every setting. `budget` replaces `hidden`.
const std::map<std::string, std::string> kOther = {{"architecture", "rnn"},
                                                   {"loss", "rec+lm"},
                                                   {"validation", "long"},
                                                   {"seed", "4"},
                                                   {"layers", "2"},
                                                   {"budget", "1000"},
                                                   {"hidden", "9"},
                                                   {"dropout", "0.3"},
                                                   {"batch_tokens", "100"},
                                                   {"learning_rate", "0.03"},
                                                   {"lm_coefficient", "0.6"},
                                                   {"ns_coefficient", "0.6"},
                                                   {"readout", "eos"},
                                                   {"init", "xavier"},
                                                   {"init_from", "base"},
                                                   {"train_data", "fresh"},
                                                   {"curriculum", "0:4+10:12"},
                                                   {"max_epochs", "2"},
                                                   {"max_steps", "20"},
                                                   {"checkpoint_examples", "150"},
                                                   {"select", "f1"},
                                                   {"schedule", "constant"},
                                                   {"warmup_steps", "10"},
                                                   {"learning_rate_floor", "0.9"},
                                                   {"stop_at", "\"accuracy > 0\""},
                                                   {"optimizer", "sgd"},
                                                   {"weight_decay", "0.1"},
                                                   {"learning_rate_factor", "0.9"},
                                                   {"learning_rate_patience", "1"},
                                                   {"stopping_patience", "1"},
                                                   {"clip_norm", "0.1"},
                                                   {"adam_beta1", "0.8"},
                                                   {"adam_beta2", "0.9"},
                                                   {"adam_epsilon", "0.01"},
                                                   {"target", "portable"}};

// Settings that only some runs have: what a run must be to have them, and two values of each.
struct OfSome {
  std::map<std::string, std::string> base;
  std::string value, other;
};
const std::map<std::string, OfSome> kOfSome = {
    {"weight_decay_on", {{{"weight_decay", "0.1"}}, "matrices", "all"}},
    {"momentum", {{{"optimizer", "sgd"}}, "0.0", "0.5"}},
    {"rmsprop_decay", {{{"optimizer", "rmsprop"}}, "0.99", "0.9"}},
    {"checkpoint_steps", {{{"checkpoint_examples", "0"}}, "3", "4"}},
    {"stop_for", {{{"stop_at", "\"accuracy >= 0\""}, {"checkpoint_examples", "50"}}, "1", "5"}},
    {"st_last_coefficient", {{{"loss", "rec+ns+st_last"}}, "0.5", "0.6"}},
    {"st_coefficient", {{{"loss", "rec+ns+st"}}, "0.5", "0.6"}},
    {"heads", {{{"architecture", "transformer"}}, "8", "4"}},
    {"positions", {{{"architecture", "transformer"}}, "sinusoidal", "none"}},
    {"table", {{{"architecture", "transformer"}, {"positions", "learned"}}, "512", "600"}},
    {"randomized", {{{"architecture", "transformer"}}, "0", "600"}},
    {"rank", {{{"architecture", "rwkv7"}}, "8", "4"}},
    {"mask", {{{"architecture", "transformer"}}, "causal", "strict"}},
    {"conv", {{{"architecture", "mamba"}}, "4", "0"}},
    {"state", {{{"architecture", "mamba"}}, "16", "8"}},
    {"expand", {{{"architecture", "mamba"}}, "2", "3"}},
    {"feed_forward", {{{"architecture", "mamba"}}, "0", "4"}},
    {"activation", {{{"architecture", "transformer"}}, "relu", "gelu"}},
    {"loops", {{{"architecture", "transformer"}}, "1", "2"}},
    {"padding", {{{"architecture", "transformer"}}, "0", "2"}},
    {"norm", {{{"architecture", "transformer"}}, "pre", "post"}},
    {"tie_embeddings", {{{"architecture", "transformer"}}, "true", "false"}},
    {"eigenvalues", {{{"architecture", "mamba"}}, "positive", "signed"}},
    {"householder", {{{"architecture", "deltanet"}}, "1", "2"}},
    {"gate", {{{"architecture", "deltanet"}}, "false", "true"}},
    {"output_gate", {{{"architecture", "deltanet"}}, "false", "true"}},
    {"order", {{{"architecture", "mlstm"}}, "norm-gate", "gate-norm"}},
    {"skip", {{{"architecture", "mlstm"}, {"conv", "4"}}, "false", "true"}},
    {"stack_width", {{{"architecture", "stack-rnn"}}, "10", "5"}}};

class Settings : public testing::Test {
 protected:
  // Trains by the command line, as a user would; returns the run's files.
  std::map<std::string, std::string> Train(const std::map<std::string, std::string>& settings,
                                           const std::string& run) {
    std::string command =
        FlareProgram() + " train --data " + (folder_.path() / "parity").string() + " --run " + run;
    for (const auto& [key, value] : settings) command += " " + FlagOf(key) + " " + value;
    const ShellResult result = RunShell(command, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.output;
    auto contents = TimelessContents(folder_.path() / run);
    config_ = Json::parse(contents.at("config.json"));
    contents.erase("config.json");
    return contents;
  }

  TemporaryDirectory folder_;
  Json config_;
};

TEST_F(Settings, EachIsWrittenDownAndChangesTheRun) {
  MakeSmallDataset(folder_.path(), "parity", 100);
  const auto base = Train(kBase, "base");
  Json base_config = config_;
  EXPECT_EQ(Train(kBase, "again"), base);
  std::size_t settings = 0;
  for (const std::string& key : SettingKeys()) {
    ++settings;
    if (kOfSome.contains(key)) continue;
    ASSERT_TRUE(kOther.count(key)) << "the test knows no other value of " << key;
    auto changed = kBase;
    changed[key] = kOther.at(key);
    if (key == "budget") changed.erase("hidden");
    if (key == "loss") changed.erase("ns_coefficient");
    // What goes with another value.
    if (key == "schedule") changed.erase("learning_rate_patience");
    if (key == "init_from") changed["init_from"] = "base";
    const auto files = Train(changed, key);
    // The model, or, for settings that only end or judge training, its events.
    EXPECT_TRUE(files.at("model.safetensors") != base.at("model.safetensors") ||
                files.at("events.jsonl") != base.at("events.jsonl"))
        << key << " changes nothing";
    for (const auto& [name, value] : config_.items()) {
      if (name == key) {
        EXPECT_NE(value, base_config[name]) << name;
      } else if (!(key == "budget" && name == "hidden") &&
                 !(key == "loss" && name == "ns_coefficient") &&
                 !(key == "schedule" && name == "learning_rate_patience") && name != "drawn" &&
                 name != "init_sha256" && name != "check") {
        EXPECT_EQ(value, base_config[name]) << name << " changed with " << key;
      }
    }
  }
  EXPECT_EQ(settings, kOther.size() + kOfSome.size());
}

TEST_F(Settings, SettingsOfSomeRunsAreWrittenDownAndChangeThem) {
  MakeSmallDataset(folder_.path(), "parity", 100);
  for (const auto& [key, some] : kOfSome) {
    auto settings = kBase;
    for (const auto& [name, value] : some.base) settings[name] = value;
    settings["max_epochs"] = "2";
    if (some.base.contains("loss")) settings.erase("lm_coefficient");
    settings[key] = some.value;
    const auto base = Train(settings, key + "-base");
    // Settings that version 0.2 did not have are not written where they mean what it did.
    if (config_.contains(key))
      EXPECT_EQ(config_[key].is_string() ? config_[key].get<std::string>() : config_[key].dump(),
                some.value);
    settings[key] = some.other;
    const auto other = Train(settings, key);
    EXPECT_NE(other.at("model.safetensors"), base.at("model.safetensors")) << key;
  }
}

// The losses that were asked for are those that were trained.
TEST_F(Settings, AuxiliaryLossesAreTrained) {
  MakeSmallDataset(folder_.path(), "parity", 100);
  auto settings = kBase;
  settings["max_epochs"] = "1";
  for (const std::string loss : {"rec", "rec+lm", "rec+ns", "rec+lm+ns"}) {
    const bool lm = loss.find("lm") != std::string::npos;
    const bool ns = loss.find("ns") != std::string::npos;
    settings["loss"] = loss;
    settings.erase("lm_coefficient");
    settings.erase("ns_coefficient");
    if (lm) settings["lm_coefficient"] = "0.25";
    if (ns) settings["ns_coefficient"] = "4";
    const auto files = Train(settings, "run-" + loss);
    const std::string events = files.at("events.jsonl");
    const std::size_t begin = events.find("{\"event\":\"epoch\"");
    const Json epoch = Json::parse(events.substr(begin, events.find('\n', begin) - begin));
    EXPECT_EQ(epoch["lm_loss"].is_number(), lm) << loss;
    EXPECT_EQ(epoch["next_symbol_loss"].is_number(), ns) << loss;
    const double expected = epoch["recognition_loss"].get<double>() +
                            (lm ? 0.25 * epoch["lm_loss"].get<double>() : 0) +
                            (ns ? 4 * epoch["next_symbol_loss"].get<double>() : 0);
    EXPECT_NEAR(epoch["loss"].get<double>(), expected, 1e-9) << loss;
    EXPECT_EQ(files.at("model.safetensors").find("next_symbols_head") != std::string::npos, ns);
    const Json metrics = Json::parse(files.at("eval/test.json"));
    EXPECT_EQ(metrics["lm_cross_entropy"].is_number(), lm);
    EXPECT_EQ(metrics["next_symbol_accuracy"].is_object(), ns);
  }
}

}  // namespace
}  // namespace flare
