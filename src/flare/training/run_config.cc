#include "flare/training/run_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "flare/base/error.h"
#include "flare/base/number.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

const std::vector<std::string> kLosses = {"rec", "rec+lm", "rec+ns", "rec+lm+ns"};

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

void ExpectOneOf(const std::vector<std::string>& words, const std::string& word,
                 const std::string& where) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const auto nearest = Nearest(word, words);
  throw InputError(where, fmt::format("{} is not one of {}", Quoted(word), fmt::join(words, ", ")),
                   nearest ? fmt::format("did you mean {}?", *nearest) : "");
}

std::string WhereOf(const std::string& where, const std::string& key) {
  return where.empty() ? FlagOf(key) : where + ": " + key;
}

// A log-uniform draw; each setting has a stream of its own, so that giving one changes no other.
double DrawLogUniform(std::uint64_t seed, const std::string& key, double least, double most) {
  Rng rng = Rng::For(seed, "settings/" + key);
  return std::exp(std::log(least) + rng.Uniform() * (std::log(most) - std::log(least)));
}

void DrawMissing(const SettingTexts& given, RunConfig& config) {
  const auto missing = [&](const char* key) {
    if (given.contains(key)) return false;
    config.drawn.emplace_back(key);
    return true;
  };
  if (missing("batch_tokens")) {
    Rng rng = Rng::For(config.seed, "settings/batch_tokens");
    config.batch_tokens = 128 + static_cast<std::size_t>(rng.UniformInt(4096 - 128 + 1));
  }
  if (missing("learning_rate")) {
    config.learning_rate = DrawLogUniform(config.seed, "learning_rate", 1e-4, 1e-2);
  }
  if (config.has_lm() && missing("lm_coefficient")) {
    config.lm_coefficient = DrawLogUniform(config.seed, "lm_coefficient", 0.01, 10);
  }
  if (config.has_next_symbols() && missing("ns_coefficient")) {
    config.ns_coefficient = DrawLogUniform(config.seed, "ns_coefficient", 0.01, 10);
  }
}

void ChooseHiddenSize(const SettingTexts& given, std::size_t vocabulary, const std::string& where,
                      RunConfig& config) {
  const std::size_t step = FindArchitecture(config.architecture)->size_step;
  if (given.contains("hidden")) {
    if (given.contains("budget")) {
      throw InputError(where, "--hidden and --budget both set the size: give one of them");
    }
    config.budget = 0;
    if (config.hidden % step != 0) {
      throw InputError(WhereOf(where, "hidden"),
                       fmt::format("{} is not a multiple of {}, which the {} needs", config.hidden,
                                   step, config.architecture));
    }
    return;
  }
  if (config.budget == 0) throw InputError(WhereOf(where, "budget"), "0 leaves no model");
  config.hidden =
      HiddenSizeForBudget(config.architecture, vocabulary, config.layers, config.budget);
}

// The size nearest to a budget may be a little above it, and heads come on top.
constexpr std::size_t kMostInAll = kMostParameters + kMostParameters / 5;

void CheckSize(std::size_t vocabulary, const std::string& where, const RunConfig& config) {
  const std::size_t parameters = NumParameters(config.model(vocabulary));
  if (parameters <= kMostInAll) return;
  throw InputError(where,
                   fmt::format("{} layers of size {} over {} symbols have {} parameters, "
                               "more than {}",
                               config.layers, config.hidden, vocabulary, parameters, kMostInAll));
}

}  // namespace

bool RunConfig::has_lm() const { return loss.find("+lm") != std::string::npos; }
bool RunConfig::has_next_symbols() const { return loss.find("+ns") != std::string::npos; }

std::string FlagOf(const std::string& key) {
  std::string flag = "--" + key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

RunConfig MakeRunConfig(const SettingTexts& given, std::size_t vocabulary,
                        const std::string& where) {
  RunConfig config;
  std::vector<std::string> keys;
  VisitSettings(config, [&](const char* key, auto& field, const SettingRange& range, const char*) {
    keys.emplace_back(key);
    const auto found = given.find(key);
    if (found != given.end()) Parse(found->second, range, WhereOf(where, key), field);
  });
  for (const auto& [key, value] : given) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const auto nearest = Nearest(key, keys);
    throw InputError(where, fmt::format("unknown setting {}", Quoted(key)),
                     nearest ? fmt::format("did you mean {}?", *nearest) : "");
  }

  std::vector<std::string> architectures;
  for (const Architecture& architecture : Architectures()) {
    architectures.push_back(architecture.name);
  }
  ExpectOneOf(architectures, config.architecture, WhereOf(where, "architecture"));
  ExpectOneOf(kLosses, config.loss, WhereOf(where, "loss"));
  if (config.validation == "short" || config.validation == "long") {
    config.validation = "validation-" + config.validation;
  }
  ParseTarget(config.target);
  for (const auto& [key, used] : {std::pair{"lm_coefficient", config.has_lm()},
                                  std::pair{"ns_coefficient", config.has_next_symbols()}}) {
    if (given.contains(key) && !used) {
      throw InputError(WhereOf(where, key),
                       fmt::format("the loss {} has no such term", config.loss));
    }
  }
  if (config.target == "native") config.native_target = NativeTargetName();
  config.arithmetic = FindArchitecture(config.architecture)->arithmetic;
  ChooseHiddenSize(given, vocabulary, where, config);
  CheckSize(vocabulary, where, config);
  DrawMissing(given, config);
  return config;
}

Json RunConfigToJson(const RunConfig& config) {
  Json json = Json::object();
  VisitSettings(config, [&](const char* key, const auto& field, const SettingRange&, const char*) {
    json[key] = field;
  });
  if (config.budget == 0) json["budget"] = nullptr;
  if (!config.has_lm()) json["lm_coefficient"] = nullptr;
  if (!config.has_next_symbols()) json["ns_coefficient"] = nullptr;
  if (!config.native_target.empty()) json["native_target"] = config.native_target;
  json["arithmetic"] = config.arithmetic;
  json["drawn"] = config.drawn;
  return json;
}

RunConfig RunConfigFromJson(const Json& json, const std::string& file) {
  RunConfig config;
  VisitSettings(config, [&](const char* key, auto& field, const SettingRange& range, const char*) {
    const auto found = json.find(key);
    if (found == json.end()) throw InputError(file, fmt::format("it has no {}", Quoted(key)));
    if (found->is_null()) {
      if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, std::string>) field = 0;
      return;
    }
    const std::string where = file + ": " + key;
    Parse(found->is_string() ? found->template get<std::string>() : found->dump(), range, where,
          field);
  });
  const Architecture* architecture = FindArchitecture(config.architecture);
  if (architecture == nullptr) {
    throw InputError(file, fmt::format("unknown architecture {}", Quoted(config.architecture)));
  }
  if (config.hidden == 0 || config.hidden % architecture->size_step != 0) {
    throw InputError(
        file, fmt::format("hidden: {} does not fit the {}", config.hidden, config.architecture));
  }
  ExpectOneOf(kLosses, config.loss, file + ": loss");
  ParseTarget(config.target);
  config.native_target = Member<std::string>(json, "native_target").value_or("");
  // Version 0.1 did not say.
  config.arithmetic = Member<std::string>(json, "arithmetic").value_or("0.1");
  if (const auto drawn = json.find("drawn"); drawn != json.end() && drawn->is_array()) {
    for (const Json& key : *drawn) {
      if (key.is_string()) config.drawn.push_back(key);
    }
  }
  return config;
}

}  // namespace flare
