// The settings of a run: everything that decides its result besides the data. What a user does not
// give is drawn from the paper's distributions (Appendix D) with the run's seed, and recorded.

#ifndef FLARE_TRAINING_RUN_CONFIG_H_
#define FLARE_TRAINING_RUN_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/nn/adam.h"
#include "flare/nn/model.h"

namespace flare {

struct RunConfig {
  std::string architecture;
  std::string loss;        // rec, rec+lm, rec+ns or rec+lm+ns
  std::string validation;  // the split that selects the model
  std::uint64_t seed = 0;

  std::size_t layers = 5;
  std::size_t budget = 64'000;  // of parameters; 0 if the hidden size was given
  std::size_t hidden = 0;       // d
  double dropout = 0.1;

  std::size_t batch_tokens = 0;  // B
  double learning_rate = 0;      // initial
  double lm_coefficient = 0;     // λ_LM; 0 without that term
  double ns_coefficient = 0;     // λ_NS

  std::size_t max_epochs = 1000;
  std::size_t checkpoint_examples = 10'000;
  double learning_rate_factor = 0.5;
  std::size_t learning_rate_patience = 5;
  std::size_t stopping_patience = 10;

  double clip_norm = 5;  // 0: never
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;

  std::string target = "avx2";  // instruction set
  std::string native_target;    // what `native` meant where the run began; else empty
  std::string arithmetic;       // the architecture's, where the run began

  // The settings that were drawn. Not a setting itself: a run whose learning rate was given is the
  // same run as one that happened to draw it.
  std::vector<std::string> drawn;

  bool has_lm() const;
  bool has_next_symbols() const;
  LossCoefficients coefficients() const { return {lm_coefficient, ns_coefficient}; }
  AdamConfig adam() const {
    return {adam_beta1, adam_beta2, adam_epsilon, clip_norm, arithmetic == "0.1"};
  }
  ModelConfig model(std::size_t vocabulary) const {
    return {architecture, vocabulary, layers, hidden, has_lm(), has_next_symbols()};
  }
};

// What a numeric setting may be.
struct SettingRange {
  double least, most;
};

// A larger budget is refused. With gradients, Adam's moments, the best checkpoint and the weights
// transposed a parameter takes 24 bytes, and with copies for a checkpoint 54, as measured.
constexpr std::size_t kMostParameters = 100'000'000;

// Calls visit(key, field, range, help) for every setting; the one list of them, from which come the
// flags of `flare train`, config.json, and comparisons. A field is a std::string, std::size_t or
// double.
template <class Config, class Visit>
void VisitSettings(Config& c, Visit visit) {
  constexpr SettingRange kText{0, 0}, kCount{1, 1e9};
  visit("architecture", c.architecture, kText, "rnn, lstm, gru or transformer");
  visit("loss", c.loss, kText, "rec, rec+lm, rec+ns or rec+lm+ns");
  visit("validation", c.validation, kText, "short, long, or the name of a split");
  visit("seed", c.seed, SettingRange{0, 1.8e19}, "of all that is random in the run");
  visit("layers", c.layers, SettingRange{1, 1000}, "number of layers");
  visit("budget", c.budget, SettingRange{0, kMostParameters},
        "number of parameters that sets the hidden size");
  visit("hidden", c.hidden, SettingRange{1, 8192}, "hidden size, instead of a budget");
  visit("dropout", c.dropout, SettingRange{0, 0.99}, "dropout rate");
  visit("batch_tokens", c.batch_tokens, kCount,
        "most symbols in a minibatch, padding, BOS and EOS included [drawn: uniform in 128..4096]");
  visit("learning_rate", c.learning_rate, SettingRange{0, 1e38},
        "at the start [drawn: log-uniform in 0.0001..0.01]");
  visit("lm_coefficient", c.lm_coefficient, SettingRange{0, 1e6},
        "weight of the language-modelling loss [drawn: log-uniform in 0.01..10]");
  visit("ns_coefficient", c.ns_coefficient, SettingRange{0, 1e6},
        "weight of the next-symbol loss [drawn: log-uniform in 0.01..10]");
  visit("max_epochs", c.max_epochs, kCount, "stop after so many epochs");
  visit("checkpoint_examples", c.checkpoint_examples, kCount,
        "validate whenever so many examples have been seen");
  visit("learning_rate_factor", c.learning_rate_factor, SettingRange{0, 1},
        "what the learning rate is multiplied by");
  visit("learning_rate_patience", c.learning_rate_patience, kCount,
        "... after so many checkpoints without a decrease");
  visit("stopping_patience", c.stopping_patience, kCount,
        "stop after so many checkpoints without a decrease");
  visit("clip_norm", c.clip_norm, SettingRange{0, 1e9},
        "largest L2 norm of the gradient; 0: no limit");
  visit("adam_beta1", c.adam_beta1, SettingRange{0, 0.999999}, "Adam's decay of the mean");
  visit("adam_beta2", c.adam_beta2, SettingRange{0, 0.9999999}, "Adam's decay of the square");
  visit("adam_epsilon", c.adam_epsilon, SettingRange{1e-30, 1}, "Adam's ε");
  visit("target", c.target, kText, "instruction set: avx2, native or portable");
}

// Settings as a user writes them, by key.
using SettingTexts = std::map<std::string, std::string>;

// The flag of a setting: --learning-rate for learning_rate.
std::string FlagOf(const std::string& key);

// Reads the given settings, chooses the hidden size, draws what is missing. Errors name a setting
// by its flag, and start with `where`. Throws InputError: unknown keys, values that do not fit,
// settings that contradict each other.
RunConfig MakeRunConfig(const SettingTexts& given, std::size_t vocabulary,
                        const std::string& where = "");

Json RunConfigToJson(const RunConfig& config);
// Throws InputError naming `file`.
RunConfig RunConfigFromJson(const Json& json, const std::string& file);

}  // namespace flare

#endif  // FLARE_TRAINING_RUN_CONFIG_H_
