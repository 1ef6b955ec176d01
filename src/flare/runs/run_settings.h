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
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/base/json.h"
#include "flare/base/option.h"
#include "flare/runs/external.h"

namespace flare {

// A loss as it is written: a sum of terms, as rec+lm+ns or st. Recognition, rec, is the first of
// them if it is there; the others are those of the catalogue, the paper's auxiliary terms.

// The loss with its terms in the order of the catalogue, however they were given. Throws
// InputError.
std::string CanonicalLoss(const std::string& text, const std::string& where);

// Does a canonical loss have the term rec?
bool HasRecognition(std::string_view loss);
// The other terms of a canonical loss.
std::vector<std::string> LossTerms(std::string_view loss);
bool HasLossTerm(std::string_view loss, std::string_view term);

// Every loss that has rec: rec alone, with each term, with each two of them, ..., with all.
std::vector<std::string> AllLosses();

// The setting that weighs a term, and those of all terms.
std::string CoefficientKey(std::string_view term);
std::vector<std::string> CoefficientKeys();

// The version that last changed the bits of an architecture of this program with these options;
// empty if it is none.
std::string ArithmeticOf(const std::string& architecture, const OptionTexts& options);

struct RunSettings {
  std::string architecture;
  std::string loss;        // canonical: rec, rec+lm, st, ...
  std::string validation;  // the split that selects the model
  std::uint64_t seed = 0;

  std::size_t layers = 5;
  std::size_t budget = 64'000;  // the number of parameters; 0 if the hidden size was given
  std::size_t hidden = 0;       // d
  double dropout = 0.1;
  std::string readout = "last";  // the symbol at which recognition reads: last or eos
  std::string init = "paper";    // how the weights are drawn: paper, xavier, reference
  std::string init_from;         // a run whose weights are taken instead; or empty

  std::string train_data = "fixed";  // the strings of an epoch: those of the split, or fresh ones
  std::string curriculum;            // how long they are, from which step on (recipe.h); or empty

  std::size_t batch_tokens = 0;                // B
  double learning_rate = 0;                    // initial
  std::map<std::string, double> coefficients;  // λ of each auxiliary term of the loss

  std::size_t max_epochs = 1000;             // 0: no limit
  std::size_t max_steps = 0;                 // 0: no limit
  std::size_t checkpoint_examples = 10'000;  // 0 if checkpoints are made by steps
  std::size_t checkpoint_steps = 0;          // 0 if they are made by examples
  std::string schedule = "plateau";
  std::size_t warmup_steps = 0;
  double learning_rate_floor = 0;  // as a share of the learning rate
  double learning_rate_factor = 0.5;
  std::size_t learning_rate_patience = 5;
  std::size_t stopping_patience = 10;  // 0: never
  std::string stop_at;                 // a condition (recipe.h), or empty
  std::size_t stop_for = 1;
  std::string select;  // the figure that chooses the best checkpoint

  std::string optimizer = "adam";
  double weight_decay = 0;
  std::string weight_decay_on = "matrices";
  double momentum = 0;
  double rmsprop_decay = 0.99;
  double clip_norm = 5;  // 0: never
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;

  std::string target = "avx2";  // instruction set
  OptionTexts options;          // every option of the architecture

  // Members below are found when the run begins, not set.
  std::string native_target;  // what `native` meant where the run began; else empty
  std::string init_sha256;    // of the model of init_from; else empty
  std::string arithmetic;     // the architecture's, where the run began
  // The settings that were drawn. A run whose learning rate was given is the same run as one that
  // happened to draw it.
  std::vector<std::string> drawn;
};

// Valid range of a numeric setting.
struct SettingRange {
  double least, most;
};

// A larger budget is refused. With gradients, Adam's moments, the best checkpoint and the weights
// transposed a parameter takes 24 bytes, and with copies for a checkpoint 54, as measured.
constexpr std::size_t kMostParameters = 100'000'000;

// Calls visit(key, field, range, help) for every setting that all runs have. A field is a
// std::string, std::size_t or double. Besides these, a run has a coefficient for every auxiliary
// term of its loss and the options of its architecture.
template <class Settings, class Visit>
void VisitSettings(Settings& s, Visit visit) {
  constexpr SettingRange kText{0, 0}, kCount{1, 1e9}, kMaybeCount{0, 1e9};
  visit("architecture", s.architecture, kText, "which network");
  visit("loss", s.loss, kText, "a term, or a sum of several, as rec+lm");
  visit("validation", s.validation, kText, "short, long, or the name of a split");
  visit("seed", s.seed, SettingRange{0, 1.8e19}, "of all that is random in the run");
  visit("layers", s.layers, SettingRange{1, 1000}, "number of layers");
  visit("budget", s.budget, SettingRange{0, kMostParameters},
        "number of parameters that sets the hidden size");
  visit("hidden", s.hidden, SettingRange{1, 8192}, "hidden size, instead of a budget");
  visit("dropout", s.dropout, SettingRange{0, 0.99}, "dropout rate");
  visit("readout", s.readout, kText,
        "what recognition looks at: the vector after the last symbol (last), or after an end "
        "symbol that the network reads (eos)");
  visit("init", s.init, kText,
        "how weights are drawn: uniform in ±0.1 (paper), by their sizes (xavier), or as the "
        "architecture's source has it (reference, as mamba is where nothing is said)");
  visit("init_from", s.init_from, kText, "a finished run whose weights are taken instead");
  visit("train_data", s.train_data, kText, "the strings of an epoch");
  visit("curriculum", s.curriculum, kText,
        "longest string from a step on: \"[[0, 10], [5000, 20]]\"");
  visit("batch_tokens", s.batch_tokens, kCount,
        "most symbols in a minibatch, padding, BOS and EOS included [drawn: uniform in 128..4096]");
  visit("learning_rate", s.learning_rate, SettingRange{0, 1e38},
        "at the start [drawn: log-uniform in 0.0001..0.01]");
  visit("max_epochs", s.max_epochs, kMaybeCount,
        "stop after this many epochs; 0, as with --max-steps alone: no limit");
  visit("max_steps", s.max_steps, kMaybeCount, "stop after this many steps; 0: no limit");
  visit("checkpoint_examples", s.checkpoint_examples, kMaybeCount,
        "validate each time this many examples have been seen");
  visit("checkpoint_steps", s.checkpoint_steps, kMaybeCount,
        "validate after every so many steps, instead");
  visit("select", s.select, kText,
        "figure of the validation split that chooses the best checkpoint "
        "[recognition_cross_entropy, or loss without rec]");
  visit("schedule", s.schedule, kText, "how the learning rate changes");
  visit("warmup_steps", s.warmup_steps, kMaybeCount,
        "steps in which the learning rate rises linearly from 0");
  visit("learning_rate_floor", s.learning_rate_floor, SettingRange{0, 1},
        "the learning rate never falls below this share of itself");
  visit("learning_rate_factor", s.learning_rate_factor, SettingRange{0, 1},
        "what the learning rate is multiplied by");
  visit("learning_rate_patience", s.learning_rate_patience, kCount,
        "... after this many checkpoints without a decrease");
  visit("stopping_patience", s.stopping_patience, kMaybeCount,
        "stop after this many checkpoints without an improvement; 0: never");
  visit("stop_at", s.stop_at, kText,
        "stop as soon as the validation split reaches this: \"accuracy >= 0.99\"");
  visit("stop_for", s.stop_for, kCount, "... at this many checkpoints in a row");
  visit("optimizer", s.optimizer, kText, "what makes steps of gradients");
  visit("weight_decay", s.weight_decay, SettingRange{0, 1000}, "weight decay");
  visit("weight_decay_on", s.weight_decay_on, kText, "what decays");
  visit("momentum", s.momentum, SettingRange{0, 0.999999}, "momentum of sgd and rmsprop");
  visit("rmsprop_decay", s.rmsprop_decay, SettingRange{0, 0.9999999},
        "RMSprop's decay of the square");
  visit("clip_norm", s.clip_norm, SettingRange{0, 1e9},
        "largest L2 norm of the gradient; 0: no limit");
  visit("adam_beta1", s.adam_beta1, SettingRange{0, 0.999999}, "Adam's decay of the mean");
  visit("adam_beta2", s.adam_beta2, SettingRange{0, 0.9999999}, "Adam's decay of the square");
  visit("adam_epsilon", s.adam_epsilon, SettingRange{1e-30, 1}, "ε of adam, adamw and rmsprop");
  visit("target", s.target, kText, "instruction set");
}

// Valid range of a loss coefficient.
constexpr SettingRange kCoefficientRange{0, 1e6};

// Settings as a user writes them, by key.
using SettingTexts = std::map<std::string, std::string>;

// The flag of a setting: --learning-rate for learning_rate.
std::string FlagOf(const std::string& key);

// The places where settings were written, for error messages: flags, or a file with the line of
// each if that is known.
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

// The words that a setting may have, if it has one of a few; numbers, sums of terms, names of
// splits and conditions are not listed.
std::vector<std::string> WordsOf(const std::string& key);

// The setting that other programs, or people, call by another name: learning_rate for lr. Nothing
// if the word is not known to mean one.
struct SettingHint {
  std::string key;
  std::string note = "";  // how the setting differs from what the word suggests
};
std::optional<SettingHint> SettingCalled(const std::string& word);

// The keys of settings that runs of every architecture have, coefficients included.
std::vector<std::string> SettingKeysOfAllRuns();
// Every key that settings may have, of whatever architecture and loss.
std::vector<std::string> SettingKeys(const std::vector<External>& externals = {});

// Reads the given settings; the others keep their defaults. Throws InputError: unknown keys, values
// that do not fit, coefficients without their term, options of other architectures.
RunSettings ParseSettings(const SettingTexts& given, const SettingPlaces& places,
                          const std::vector<External>& externals = {});

// The split that a validation means: "validation-short" for "short", "validation-long" for "long";
// others as they are.
std::string ValidationSplit(const std::string& validation);

// All settings and what is in them, in the order of config.json; null is a setting that does not
// apply.
Json SettingsToJson(const RunSettings& settings);
// The members of config.json that are not settings are passed over if `others` names them. Throws
// InputError.
RunSettings SettingsFromJson(const JsonValue& json, const std::vector<std::string>& others,
                             const std::vector<External>& externals = {});

// Lists every scalar by name, in that order, as JSON writes it but without quotes; null is empty.
std::vector<std::pair<std::string, std::string>> SettingsList(const RunSettings& settings);
// The setting as config.json would write it, without quotes; empty if it does not apply.
std::string SettingText(const RunSettings& settings, const std::string& key);

// Returns the texts from which ParseSettings would make these settings; of budget and hidden size,
// the one that sets the other.
SettingTexts TextsOf(const RunSettings& settings);

// "learning_rate is 0.001, not 0.01" for the first setting in which two runs differ; empty if in
// none. What was drawn does not count, nor does the arithmetic.
std::string SettingsDifference(const RunSettings& there, const RunSettings& wanted);

// What a run draws from its seed where nobody gives it: the paper's distributions (Appendix D).

// Draws what `given` lacks, and adds it to settings.drawn.
void DrawMissing(const SettingTexts& given, RunSettings& settings);

}  // namespace flare

#endif  // FLARE_RUNS_RUN_SETTINGS_H_
