#include "flare/training/make_settings.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/nn/architectures.h"
#include "flare/nn/target.h"
#include "flare/runs/drawn_settings.h"
#include "flare/runs/external.h"
#include "flare/runs/loss_text.h"
#include "flare/training/known_names.h"

namespace flare {
namespace {

void ChooseHiddenSize(const SettingTexts& given, std::size_t vocabulary,
                      const SettingPlaces& places, RunSettings& config) {
  const std::size_t step = SizeStep(*FindArchitecture(config.architecture), config.options);
  if (given.contains("hidden")) {
    if (given.contains("budget")) {
      throw InputError(places.Line("hidden"),
                       "--hidden and --budget both set the size: give one of them");
    }
    config.budget = 0;
    if (config.hidden % step != 0) {
      throw InputError(places.Of("hidden"),
                       fmt::format("{} is not a multiple of {}, which the {} needs", config.hidden,
                                   step, config.architecture));
    }
    return;
  }
  if (config.budget == 0) throw InputError(places.Of("budget"), "0 leaves no model");
  config.hidden = HiddenSizeForBudget(ModelOf(config, vocabulary), config.budget);
}

// The size nearest to a budget may be a little above it, and heads come on top.
constexpr std::size_t kMostInAll = kMostParameters + kMostParameters / 5;

void CheckSize(std::size_t vocabulary, const std::string& where, const RunSettings& config) {
  const std::size_t parameters = NumParameters(ModelOf(config, vocabulary));
  if (parameters <= kMostInAll) return;
  throw InputError(where,
                   fmt::format("{} layers of size {} over {} symbols have {} parameters, "
                               "more than {}",
                               config.layers, config.hidden, vocabulary, parameters, kMostInAll));
}

}  // namespace

RunSettings MakeExternalSettings(const SettingTexts& given, const Names& names,
                                 const SettingPlaces& places) {
  RunSettings settings = ParseSettings(given, names, places);
  settings.validation = ValidationSplit(settings.validation);
  settings.arithmetic = kExternalArithmetic;
  if (given.contains("hidden")) settings.budget = 0;
  DrawMissing(given, settings);
  return settings;
}

RunSettings MakeSettings(const SettingTexts& given, std::size_t vocabulary,
                         const SettingPlaces& places) {
  RunSettings settings = ParseSettings(given, KnownNames(), places);
  settings.validation = ValidationSplit(settings.validation);
  if (settings.target == "native") settings.native_target = NativeTargetName();
  settings.arithmetic = FindArchitecture(settings.architecture)->arithmetic;
  ChooseHiddenSize(given, vocabulary, places, settings);
  CheckSize(vocabulary, places.file(), settings);
  DrawMissing(given, settings);
  // Last: another machine may have what this one lacks.
  CheckTarget(ParseTarget(settings.target));
  return settings;
}

void CheckModelSettings(const RunSettings& settings, const std::string& where) {
  const std::size_t step = SizeStep(*FindArchitecture(settings.architecture), settings.options);
  if (settings.hidden == 0 || settings.hidden % step != 0) {
    throw InputError(where, fmt::format("hidden: {} does not fit the {}", settings.hidden,
                                        settings.architecture));
  }
}

ModelConfig ModelOf(const RunSettings& settings, std::size_t vocabulary, std::size_t states) {
  return {.architecture = settings.architecture,
          .vocabulary = vocabulary,
          .layers = settings.layers,
          .hidden = settings.hidden,
          .terms = LossTerms(settings.loss),
          .options = settings.options,
          .states = states};
}

AdamConfig AdamOf(const RunSettings& s) {
  return {s.adam_beta1, s.adam_beta2, s.adam_epsilon, s.clip_norm, s.arithmetic == "0.1"};
}

std::vector<double> CoefficientsOf(const RunSettings& settings) {
  std::vector<double> coefficients;
  for (const std::string& term : LossTerms(settings.loss)) {
    coefficients.push_back(settings.coefficients.at(term));
  }
  return coefficients;
}

}  // namespace flare
