#include "flare/runs/run_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/schedule.h"
#include "flare/nn/target.h"
#include "flare/runs/external.h"
#include "flare/runs/recipe.h"

namespace flare {

namespace {

std::vector<std::string> Parts(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string CanonicalLoss(const std::string& text, const std::string& where) {
  const std::vector<std::string> parts = Parts(text);
  const auto times = [&](const std::string& part) {
    return std::count(parts.begin(), parts.end(), part);
  };
  std::vector<std::string> terms = {"rec"}, found;
  for (const LossTermInfo& term : LossTermCatalog()) terms.push_back(term.name);
  for (const std::string& term : terms) {
    if (times(term) > 0) found.push_back(term);
  }
  // Every part is a term, and no term occurs twice.
  if (found.size() == parts.size()) return fmt::format("{}", fmt::join(found, "+"));
  const auto nearest = Nearest(text, AllLosses());
  throw InputError(
      where,
      fmt::format("{} is not a sum of terms, each once, of {}", Quoted(text), Listed(terms, "and")),
      nearest ? fmt::format("did you mean {}?", *nearest) : "as in rec or rec+lm");
}

bool HasRecognition(std::string_view loss) { return loss == "rec" || loss.starts_with("rec+"); }

std::vector<std::string> LossTerms(std::string_view loss) {
  std::vector<std::string> parts = Parts(loss);
  if (HasRecognition(loss)) parts.erase(parts.begin());
  return parts;
}

bool HasLossTerm(std::string_view loss, std::string_view term) {
  const auto terms = LossTerms(loss);
  return std::find(terms.begin(), terms.end(), term) != terms.end();
}

std::vector<std::string> AllLosses() {
  // Losses are ordered by their number of terms, then as in the catalogue.
  std::vector<std::pair<std::size_t, std::string>> losses = {{0, "rec"}};
  for (const LossTermInfo& term : LossTermCatalog()) {
    for (std::size_t i = 0, count = losses.size(); i < count; ++i) {
      losses.emplace_back(losses[i].first + 1, losses[i].second + "+" + term.name);
    }
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> texts;
  for (auto& [terms, text] : losses) texts.push_back(std::move(text));
  return texts;
}

std::string CoefficientKey(std::string_view term) { return std::string(term) + "_coefficient"; }

std::vector<std::string> CoefficientKeys() {
  std::vector<std::string> keys;
  for (const LossTermInfo& term : LossTermCatalog()) keys.push_back(CoefficientKey(term.name));
  return keys;
}

std::string ArithmeticOf(const std::string& architecture, const OptionTexts& options) {
  const Architecture* known = FindArchitecture(architecture);
  return known == nullptr ? "" : ArithmeticOf(*known, options);
}

namespace {

void Parse(const std::string& text, const SettingRange&, const std::string&, std::string& field) {
  field = text;
}

template <class Number>
void Parse(const std::string& text, const SettingRange& range, const std::string& where,
           Number& field) {
  const auto value = ParseNumber<Number>(text);
  if (!value ||
      !(static_cast<double>(*value) >= range.least && static_cast<double>(*value) <= range.most)) {
    throw InputError(
        where, fmt::format("{} is not a {} from {} to {}", Quoted(text),
                           std::is_integral_v<Number> ? "whole number" : "number",
                           static_cast<Number>(range.least), static_cast<Number>(range.most)));
  }
  field = *value;
}

// Calls visit(name, options) for every architecture: each option is a name and what is known of it,
// which is nothing if another program reads it.
template <class Visit>
void ForEachArchitecture(const std::vector<External>& externals, const Visit& visit) {
  for (const Architecture& one : Architectures()) {
    std::vector<std::pair<std::string, const Option*>> options;
    for (const Option& option : one.options) options.emplace_back(option.name, &option);
    visit(one.name, options);
  }
  for (const External& one : externals) {
    std::vector<std::pair<std::string, const Option*>> options;
    for (const std::string& option : one.options) options.emplace_back(option, nullptr);
    visit(one.name, options);
  }
}

// Checks settings whose values are names, and brings texts into the one form in which they are
// kept.
void CheckWords(const SettingPlaces& places, RunSettings& settings) {
  VisitSettings(settings,
                [&](const std::string& key, auto& field, const SettingRange&, const char*) {
                  if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
                    const auto words = WordsOf(key);
                    // An architecture may be one of another program's.
                    if (words.empty() || key == "architecture") return;
                    ExpectOneOf(words, field, places.Of(key));
                  }
                });
  if (!settings.stop_at.empty()) {
    settings.stop_at = ParseCondition(settings.stop_at, places.Of("stop_at")).Text();
  }
  settings.curriculum = ParseCurriculum(settings.curriculum, places.Of("curriculum")).Text();
  if (settings.select.empty()) settings.select = DefaultSelection(settings.loss);
}

// Settings from a text for every key: those that all runs have, the coefficients and the options.
// `text_of` returns null for a key that is not given.
// In a file, an option that is absent means what it did before there was the option.
template <class TextOf>
RunSettings Read(const TextOf& text_of, const SettingPlaces& places,
                 const std::vector<External>& externals, bool is_file) {
  RunSettings settings;
  VisitSettings(settings,
                [&](const char* key, auto& field, const SettingRange& range, const char*) {
                  if (const auto text = text_of(key)) Parse(*text, range, places.Of(key), field);
                });
  std::vector<std::string> architectures;
  ForEachArchitecture(externals,
                      [&](const std::string& name, const auto&) { architectures.push_back(name); });
  ExpectOneOf(architectures, settings.architecture, places.Of("architecture"));
  settings.loss = CanonicalLoss(settings.loss, places.Of("loss"));
  CheckWords(places, settings);
  const Architecture* architecture = FindArchitecture(settings.architecture);
  if (!is_file && architecture != nullptr && !text_of("init") && settings.init_from.empty()) {
    settings.init = architecture->init;
  }
  // Steps count instead of epochs and examples where they are given.
  if (settings.max_steps > 0 && !text_of("max_epochs")) settings.max_epochs = 0;
  if (settings.checkpoint_steps > 0 && !text_of("checkpoint_examples")) {
    settings.checkpoint_examples = 0;
  }
  for (const LossTermInfo& term : LossTermCatalog()) {
    const std::string key = CoefficientKey(term.name);
    const auto text = text_of(key);
    if (HasLossTerm(settings.loss, term.name)) {
      double& coefficient = settings.coefficients[term.name];
      if (text) Parse(*text, kCoefficientRange, places.Of(key), coefficient);
    } else if (text) {
      throw InputError(places.Of(key), fmt::format("the loss {} has no such term", settings.loss));
    }
  }
  ForEachArchitecture(externals, [&](const std::string& name, const auto& options) {
    if (name != settings.architecture) return;
    for (const auto& [key, option] : options) {
      const auto text = text_of(key);
      std::string& value = settings.options[key];
      if (!text) {
        if (option != nullptr) {
          value = is_file ? option->ValueIfAbsent() : option->Default(settings.options);
        }
      } else {
        value = option == nullptr ? ExternalOptionValue(*text, places.Of(key))
                                  : OptionValue(*option, *text, places.Of(key));
      }
    }
  });
  return settings;
}

// Refuses a key that no setting of any architecture has.
void CheckIsSetting(const std::string& key, const std::vector<External>& externals,
                    const SettingPlaces& places) {
  static const std::set<std::string> known = [] {
    const std::vector<std::string> keys = SettingKeys();
    return std::set<std::string>(keys.begin(), keys.end());
  }();
  const auto has_option = [&](const External& one) {
    return std::find(one.options.begin(), one.options.end(), key) != one.options.end();
  };
  if (known.contains(key) || std::any_of(externals.begin(), externals.end(), has_option)) return;
  std::string hint;
  if (const auto meant = SettingCalled(key)) {
    hint = fmt::format("did you mean {}?{}", meant->key, meant->note);
  } else if (const auto nearest = Nearest(key, SettingKeys(externals))) {
    hint = fmt::format("did you mean {}?", *nearest);
  }
  throw InputError(places.Line(key), fmt::format("unknown setting {}", Quoted(key)), hint);
}

// Refuses an option that only other architectures have.
void CheckIsOption(const std::string& key, const RunSettings& settings,
                   const std::vector<External>& externals, const SettingPlaces& places) {
  if (settings.options.contains(key)) return;
  std::vector<std::string> owners;
  for (const Architecture& one : Architectures()) {
    for (const Option& option : one.options) {
      if (option.name == key) owners.push_back(one.name);
    }
  }
  for (const External& one : externals) {
    owners.insert(owners.end(), std::count(one.options.begin(), one.options.end(), key), one.name);
  }
  if (owners.empty()) return;
  throw InputError(places.Of(key), fmt::format("the {} has no such option", settings.architecture),
                   fmt::format("it is an option of {}", fmt::join(owners, ", ")));
}

// Settings that version 0.2 did not have. A list of settings leaves them out where they mean what
// it did, so that tables of the runs that it made stay what they are.
constexpr const char* kSince03[] = {
    "readout",    "init",         "init_from",           "train_data",
    "curriculum", "max_steps",    "checkpoint_steps",    "select",
    "schedule",   "warmup_steps", "learning_rate_floor", "stop_at",
    "stop_for",   "optimizer",    "weight_decay",        "weight_decay_on",
    "momentum",   "rmsprop_decay"};

std::string TextOfValue(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string FlagOf(const std::string& key) {
  std::string flag = "--" + key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string SettingPlaces::Line(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? file_ : found->second;
}

std::string SettingPlaces::Of(const std::string& key) const {
  const std::string line = Line(key);
  return line.empty() ? FlagOf(key) : line + ": " + key;
}

std::optional<SettingHint> SettingCalled(const std::string& word) {
  constexpr const char* kSymbols = " it counts symbols, with padding, not strings";
  constexpr const char* kShare = " it is a share of the learning rate";
  static const std::map<std::string, SettingHint> synonyms = {
      {"arch", {"architecture"}},
      {"batch", {"batch_tokens", kSymbols}},
      {"batch_size", {"batch_tokens", kSymbols}},
      {"bs", {"batch_tokens", kSymbols}},
      {"beta1", {"adam_beta1"}},
      {"beta2", {"adam_beta2"}},
      {"clip", {"clip_norm"}},
      {"clip_grad", {"clip_norm"}},
      {"d_model", {"hidden"}},
      {"decay", {"weight_decay"}},
      {"depth", {"layers"}},
      {"dim", {"hidden"}},
      {"dropout_rate", {"dropout"}},
      {"early_stopping", {"stopping_patience"}},
      {"epochs", {"max_epochs"}},
      {"eps", {"adam_epsilon"}},
      {"epsilon", {"adam_epsilon"}},
      {"eval_every", {"checkpoint_steps"}},
      {"eval_steps", {"checkpoint_steps"}},
      {"grad_clip", {"clip_norm"}},
      {"gradient_clip", {"clip_norm"}},
      {"hidden_dim", {"hidden"}},
      {"hidden_size", {"hidden"}},
      {"initialization", {"init"}},
      {"iterations", {"max_steps"}},
      {"lr", {"learning_rate"}},
      {"lr_schedule", {"schedule"}},
      {"lr_scheduler", {"schedule"}},
      {"max_grad_norm", {"clip_norm"}},
      {"metric", {"select"}},
      {"min_lr", {"learning_rate_floor", kShare}},
      {"model", {"architecture"}},
      {"monitor", {"select"}},
      {"n_heads", {"heads"}},
      {"n_layers", {"layers"}},
      {"num_epochs", {"max_epochs"}},
      {"num_heads", {"heads"}},
      {"num_layers", {"layers"}},
      {"num_steps", {"max_steps"}},
      {"objective", {"loss"}},
      {"online", {"train_data"}},
      {"opt", {"optimizer"}},
      {"optim", {"optimizer"}},
      {"params", {"budget"}},
      {"parameters", {"budget"}},
      {"patience", {"stopping_patience"}},
      {"random_seed", {"seed"}},
      {"rate", {"learning_rate"}},
      {"scheduler", {"schedule"}},
      {"steps", {"max_steps"}},
      {"val", {"validation"}},
      {"val_every", {"checkpoint_steps"}},
      {"warmup", {"warmup_steps"}},
      {"wd", {"weight_decay"}},
      {"width", {"hidden"}},
  };
  const auto found = synonyms.find(word);
  return found == synonyms.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> WordsOf(const std::string& key) {
  std::vector<std::string> words;
  const auto add = [&](const auto& catalog) {
    for (const auto& one : catalog) words.push_back(one.name);
  };
  if (key == "architecture") add(Architectures());
  if (key == "optimizer") add(OptimizerCatalog());
  if (key == "schedule") add(ScheduleCatalog());
  if (key == "target") words = TargetNames();
  if (key == "train_data") words = {"fixed", "fresh"};
  if (key == "weight_decay_on") words = {"matrices", "all"};
  if (key == "readout") words = {"last", "eos"};
  if (key == "init") words = {"paper", "xavier", "reference"};
  return words;
}

std::vector<std::string> SettingKeysOfAllRuns() {
  std::vector<std::string> keys;
  RunSettings settings;
  VisitSettings(settings, [&](const char* key, auto&, const SettingRange&, const char*) {
    keys.emplace_back(key);
  });
  for (std::string& key : CoefficientKeys()) keys.push_back(std::move(key));
  return keys;
}

std::vector<std::string> SettingKeys(const std::vector<External>& externals) {
  std::vector<std::string> keys = SettingKeysOfAllRuns();
  ForEachArchitecture(externals, [&](const std::string&, const auto& options) {
    for (const auto& [option, known] : options) {
      if (std::find(keys.begin(), keys.end(), option) == keys.end()) keys.push_back(option);
    }
  });
  return keys;
}

RunSettings ParseSettings(const SettingTexts& given, const SettingPlaces& places,
                          const std::vector<External>& externals) {
  for (const auto& [key, text] : given) CheckIsSetting(key, externals, places);
  const auto text_of = [&](const std::string& key) {
    const auto found = given.find(key);
    return found == given.end() ? nullptr : &found->second;
  };
  RunSettings settings = Read(text_of, places, externals, false);
  for (const auto& [key, text] : given) CheckIsOption(key, settings, externals, places);
  return settings;
}

std::string ValidationSplit(const std::string& validation) {
  return validation == "short" || validation == "long" ? "validation-" + validation : validation;
}

namespace {

using SettingValues = std::vector<std::pair<std::string, Json>>;

// Every setting with its value, in the order of config.json. A list, since a report looks at those
// of tens of thousands of runs, and an ordered JSON object looks for every key that it is given.
SettingValues AllValues(const RunSettings& settings) {
  SettingValues values;
  const auto add = [&](const std::string& key, Json value) {
    values.emplace_back(key, std::move(value));
  };
  const auto add_coefficients = [&] {
    for (const LossTermInfo& term : LossTermCatalog()) {
      const auto found = settings.coefficients.find(term.name);
      if (found != settings.coefficients.end()) {
        add(CoefficientKey(term.name), found->second);
      } else if (term.in_all_files) {
        add(CoefficientKey(term.name), nullptr);
      }
    }
  };
  VisitSettings(settings,
                [&](const std::string& key, const auto& field, const SettingRange&, const char*) {
                  // Only an external program may choose the size of its model itself.
                  const bool is_size = key == "budget" || key == "hidden";
                  Json value = field;
                  add(key, is_size && value == 0 ? Json(nullptr) : std::move(value));
                  if (key == "learning_rate") add_coefficients();
                });
  for (const auto& [option, value] : settings.options) add(option, value);
  if (!settings.native_target.empty()) add("native_target", settings.native_target);
  if (!settings.init_sha256.empty()) add("init_sha256", settings.init_sha256);
  add("arithmetic", settings.arithmetic);
  add("drawn", settings.drawn);
  return values;
}

// The values that files and lists of settings have: without those that version 0.2 would have taken
// without having the setting.
SettingValues ValuesOf(const RunSettings& settings) {
  static const std::map<std::string, Json> usual = [] {
    std::map<std::string, Json> of_new;
    const std::set<std::string> since(std::begin(kSince03), std::end(kSince03));
    for (auto& [key, value] : AllValues(RunSettings{})) {
      if (since.contains(key)) of_new.emplace(key, std::move(value));
    }
    return of_new;
  }();
  const Architecture* architecture = FindArchitecture(settings.architecture);
  const auto is_as_before = [&](const std::string& key, const Json& value) {
    if (key == "select") return value == DefaultSelection(settings.loss);
    const auto found = usual.find(key);
    if (found != usual.end()) return value == found->second;
    return architecture != nullptr && settings.options.contains(key) &&
           std::any_of(architecture->options.begin(), architecture->options.end(),
                       [&](const Option& option) {
                         return option.name == key && !option.before.empty() &&
                                value == option.before;
                       });
  };
  SettingValues values = AllValues(settings);
  std::erase_if(values, [&](const auto& one) { return is_as_before(one.first, one.second); });
  return values;
}

Json ToJson(SettingValues values) {
  Json json = Json::object();
  for (auto& [key, value] : values) json[key] = std::move(value);
  return json;
}

}  // namespace

Json SettingsToJson(const RunSettings& settings) { return ToJson(ValuesOf(settings)); }

RunSettings SettingsFromJson(const JsonValue& json, const std::vector<std::string>& others,
                             const std::vector<External>& externals) {
  std::map<std::string, std::string> texts;
  json.ForEach([&](std::string_view name, const JsonValue& value) {
    const std::string key(name);
    if (key == "native_target" || key == "init_sha256" || key == "arithmetic" || key == "drawn") {
      return;
    }
    if (std::find(others.begin(), others.end(), key) != others.end()) return;
    CheckIsSetting(key, externals, json.where());
    if (!value.IsNull()) texts[key] = value.Text();
  });
  const auto expect = [&](const char* key) {
    if (!texts.contains(key)) json.Fail(fmt::format("'{}' is missing", key));
  };
  for (const char* key : {"architecture", "loss", "validation", "seed", "layers"}) expect(key);
  if (FindExternal(externals, texts["architecture"]) == nullptr) expect("hidden");
  const auto text_of = [&](const std::string& key) {
    const auto found = texts.find(key);
    return found == texts.end() ? nullptr : &found->second;
  };
  RunSettings settings = Read(text_of, json.where(), externals, true);
  for (const auto& [key, text] : texts) CheckIsOption(key, settings, externals, json.where());
  if (!texts.contains("budget")) settings.budget = 0;
  settings.native_target = json.StringOr("native_target", "");
  settings.init_sha256 = json.StringOr("init_sha256", "");
  settings.arithmetic = json.String("arithmetic");
  if (json.Find("drawn")) settings.drawn = json.Strings("drawn");
  return settings;
}

std::vector<std::pair<std::string, std::string>> SettingsList(const RunSettings& settings) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& [key, value] : ValuesOf(settings)) {
    if (!value.is_structured()) list.emplace_back(key, TextOfValue(value));
  }
  return list;
}

std::string SettingText(const RunSettings& settings, const std::string& key) {
  for (const auto& [name, value] : AllValues(settings)) {
    if (name == key) return TextOfValue(value);
  }
  return "";
}

SettingTexts TextsOf(const RunSettings& settings) {
  const auto keys = SettingKeys();
  SettingTexts texts;
  for (auto& [key, text] : SettingsList(settings)) {
    const bool is_setting =
        settings.options.contains(key) || std::find(keys.begin(), keys.end(), key) != keys.end();
    if (is_setting && !text.empty()) texts[key] = text;
  }
  if (settings.budget != 0) texts.erase("hidden");
  return texts;
}

std::string SettingsDifference(const RunSettings& there, const RunSettings& wanted) {
  SettingValues a = AllValues(there), b = AllValues(wanted);
  for (SettingValues* values : {&a, &b}) {
    std::erase_if(*values, [](const auto& one) {
      // The hash identifies the weights, wherever they were found.
      return one.first == "drawn" || one.first == "arithmetic" || one.first == "init_from";
    });
  }
  return a == b ? "" : FirstDifference(ToJson(std::move(a)), ToJson(std::move(b)));
}

namespace {

// A log-uniform draw; each setting has a stream of its own, so that giving one changes no other.
double DrawLogUniform(std::uint64_t seed, const std::string& key, double least, double most) {
  Rng rng = Rng::For(seed, "settings/" + key);
  return std::exp(std::log(least) + rng.Uniform() * (std::log(most) - std::log(least)));
}

}  // namespace

void DrawMissing(const SettingTexts& given, RunSettings& settings) {
  const auto missing = [&](const std::string& key) {
    if (given.contains(key)) return false;
    settings.drawn.emplace_back(key);
    return true;
  };
  if (missing("batch_tokens")) {
    Rng rng = Rng::For(settings.seed, "settings/batch_tokens");
    settings.batch_tokens = 128 + static_cast<std::size_t>(rng.UniformInt(4096 - 128 + 1));
  }
  if (missing("learning_rate")) {
    settings.learning_rate = DrawLogUniform(settings.seed, "learning_rate", 1e-4, 1e-2);
  }
  for (const std::string& term : LossTerms(settings.loss)) {
    const std::string key = CoefficientKey(term);
    // The law is for terms beside recognition. Without it the terms are the objective, and count
    // alike.
    if (!HasRecognition(settings.loss)) {
      if (!given.contains(key)) settings.coefficients[term] = 1;
      continue;
    }
    if (missing(key)) settings.coefficients[term] = DrawLogUniform(settings.seed, key, 0.01, 10);
  }
}

}  // namespace flare
