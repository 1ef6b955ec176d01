// The settings of a run: everything that decides its result besides the data. Flags of `flare
// train`, grids, config.json and comparisons all come from the one list of them.
//
// A setting that a file lacks has the value of the time before it existed; one that is unknown is
// refused with the nearest name. So a new setting orphans no run, and none is silently ignored.

#ifndef FLARE_RUNS_RUN_SETTINGS_H_
#define FLARE_RUNS_RUN_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/names.h"

namespace flare {

struct RunSettings {
  std::string architecture;
  std::string loss;        // canonical: rec, rec+lm, ...
  std::string validation;  // the split that selects the model
  std::uint64_t seed = 0;

  std::size_t layers = 5;
  std::size_t budget = 64'000;  // of parameters; 0 if the hidden size was given
  std::size_t hidden = 0;       // d
  double dropout = 0.1;

  std::size_t batch_tokens = 0;                // B
  double learning_rate = 0;                    // initial
  std::map<std::string, double> coefficients;  // λ of each auxiliary term of the loss

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
  OptionTexts options;          // of the architecture, every one

  // What was found, not set.
  std::string native_target;  // what `native` meant where the run began; else empty
  std::string arithmetic;     // the architecture's, where the run began
  // The settings that were drawn. A run whose learning rate was given is the same run as one that
  // happened to draw it.
  std::vector<std::string> drawn;

  bool HasTerm(std::string_view term) const { return coefficients.contains(std::string(term)); }
};

// What a numeric setting may be.
struct SettingRange {
  double least, most;
};

// A larger budget is refused. With gradients, Adam's moments, the best checkpoint and the weights
// transposed a parameter takes 24 bytes, and with copies for a checkpoint 54, as measured.
constexpr std::size_t kMostParameters = 100'000'000;

// Calls visit(key, field, range, help) for every setting that all runs have. A field is a
// std::string, std::size_t or double. Besides these, a run has a coefficient for every auxiliary
// term of its loss (loss_text.h) and the options of its architecture.
template <class Settings, class Visit>
void VisitSettings(Settings& s, Visit visit) {
  constexpr SettingRange kText{0, 0}, kCount{1, 1e9};
  visit("architecture", s.architecture, kText, "which network");
  visit("loss", s.loss, kText, "rec, and auxiliary terms as in rec+lm");
  visit("validation", s.validation, kText, "short, long, or the name of a split");
  visit("seed", s.seed, SettingRange{0, 1.8e19}, "of all that is random in the run");
  visit("layers", s.layers, SettingRange{1, 1000}, "number of layers");
  visit("budget", s.budget, SettingRange{0, kMostParameters},
        "number of parameters that sets the hidden size");
  visit("hidden", s.hidden, SettingRange{1, 8192}, "hidden size, instead of a budget");
  visit("dropout", s.dropout, SettingRange{0, 0.99}, "dropout rate");
  visit("batch_tokens", s.batch_tokens, kCount,
        "most symbols in a minibatch, padding, BOS and EOS included [drawn: uniform in 128..4096]");
  visit("learning_rate", s.learning_rate, SettingRange{0, 1e38},
        "at the start [drawn: log-uniform in 0.0001..0.01]");
  visit("max_epochs", s.max_epochs, kCount, "stop after this many epochs");
  visit("checkpoint_examples", s.checkpoint_examples, kCount,
        "validate each time this many examples have been seen");
  visit("learning_rate_factor", s.learning_rate_factor, SettingRange{0, 1},
        "what the learning rate is multiplied by");
  visit("learning_rate_patience", s.learning_rate_patience, kCount,
        "... after this many checkpoints without a decrease");
  visit("stopping_patience", s.stopping_patience, kCount,
        "stop after this many checkpoints without a decrease");
  visit("clip_norm", s.clip_norm, SettingRange{0, 1e9},
        "largest L2 norm of the gradient; 0: no limit");
  visit("adam_beta1", s.adam_beta1, SettingRange{0, 0.999999}, "Adam's decay of the mean");
  visit("adam_beta2", s.adam_beta2, SettingRange{0, 0.9999999}, "Adam's decay of the square");
  visit("adam_epsilon", s.adam_epsilon, SettingRange{1e-30, 1}, "Adam's ε");
  visit("target", s.target, kText, "instruction set: avx2, native or portable");
}

// Of a coefficient.
constexpr SettingRange kCoefficientRange{0, 1e6};

// Settings as a user writes them, by key.
using SettingTexts = std::map<std::string, std::string>;

// The flag of a setting: --learning-rate for learning_rate.
std::string FlagOf(const std::string& key);

// Where settings were written, for errors: as flags, or in a file, each on its line if that is
// known.
class SettingPlaces {
 public:
  // An empty name means flags.
  SettingPlaces(std::string file) : file_(std::move(file)) {}
  SettingPlaces(const char* file) : file_(file) {}

  // `line` is "FILE:LINE", or another file.
  void Add(const std::string& key, std::string line) { lines_[key] = std::move(line); }
  // A setting that was given as a flag instead.
  void Remove(const std::string& key) { lines_.erase(key); }

  const std::string& file() const { return file_; }
  // "FILE:3" or "FILE"; empty for a flag.
  std::string Line(const std::string& key) const;
  // "FILE:3: learning_rate", "FILE: learning_rate" or "--learning-rate".
  std::string Of(const std::string& key) const;

 private:
  std::string file_;
  std::map<std::string, std::string> lines_;
};

// Every key that `given` may have, of whatever architecture and loss.
std::vector<std::string> SettingKeys(const Names& names);

// Reads the given settings; the others keep their defaults. Throws InputError: unknown keys, values
// that do not fit, coefficients without their term, options of other architectures.
RunSettings ParseSettings(const SettingTexts& given, const Names& names,
                          const SettingPlaces& places);

// The split that a validation means: "validation-short" for "short", "validation-long" for "long";
// others as they are.
std::string ValidationSplit(const std::string& validation);

// All settings and what is in them, in the order of config.json; null is a setting that does not
// apply.
Json SettingsToJson(const RunSettings& settings, const Names& names);
// The members of config.json that are not settings are passed over if `others` names them. Throws
// InputError.
RunSettings SettingsFromJson(const JsonValue& json, const Names& names,
                             const std::vector<std::string>& others);

// Every scalar of them, by name, in that order: as JSON writes it, without quotes; empty for null.
std::vector<std::pair<std::string, std::string>> SettingsList(const RunSettings& settings,
                                                              const Names& names);
// The setting as config.json would write it, without quotes; empty if it does not apply.
std::string SettingText(const RunSettings& settings, const Names& names, const std::string& key);

// What ParseSettings would have to be given for these; of budget and hidden size, the one that sets
// the other.
SettingTexts TextsOf(const RunSettings& settings, const Names& names);

// "learning_rate is 0.001, not 0.01" for the first setting in which two runs differ; empty if in
// none. What was drawn does not count, nor does the arithmetic.
std::string SettingsDifference(const RunSettings& there, const RunSettings& wanted,
                               const Names& names);

}  // namespace flare

#endif  // FLARE_RUNS_RUN_SETTINGS_H_
