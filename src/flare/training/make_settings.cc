#include "flare/training/make_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/target.h"
#include "flare/runs/external.h"
#include "flare/runs/recipe.h"
#include "flare/runs/run_directory.h"
#include "flare/runs/run_settings.h"
#include "flare/training/train_data.h"

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

// Settings as texts: as given, and their defaults.
struct RecipeTexts {
  std::string Of(const std::string& key) const { return SettingText(settings, key); }
  bool IsUsual(const std::string& key) const { return Of(key) == SettingText(RunSettings{}, key); }
  const RunSettings& settings;
};

[[noreturn]] void Contradict(const SettingPlaces& places, const std::string& key,
                             const std::string& what, const std::string& hint = "") {
  throw InputError(places.Of(key), what, hint);
}

// A setting that the chosen optimizer or schedule does not read must have its usual value.
template <class Part>
void CheckIsRead(std::span<const Part> parts, const std::string& kind, const std::string& chosen,
                 const RecipeTexts& texts, const SettingPlaces& places) {
  std::map<std::string, std::vector<std::string>> readers;
  for (const Part& part : parts) {
    for (const std::string& setting : part.settings) readers[setting].push_back(part.name);
  }
  for (const auto& [setting, names] : readers) {
    if (std::find(names.begin(), names.end(), chosen) != names.end()) continue;
    if (texts.IsUsual(setting)) continue;
    Contradict(places, setting,
               fmt::format("{} has no effect with {} = {}", texts.Of(setting), kind, chosen),
               fmt::format("it is read with {} = {}", kind, Listed(names, "or")));
  }
}

// Limits, checkpoints and schedules.
void CompleteLength(const SettingTexts& given, const SettingPlaces& places, RunSettings& s) {
  if (s.max_steps == 0 && s.max_epochs == 0) {
    Contradict(places, "max_epochs", "0, and max_steps is 0: nothing would end training");
  }
  if (s.checkpoint_steps > 0) {
    if (given.contains("checkpoint_examples") && s.checkpoint_examples > 0) {
      Contradict(places, "checkpoint_steps",
                 "checkpoint_steps and checkpoint_examples both say when to validate: give one of "
                 "them");
    }
  } else if (s.checkpoint_examples == 0) {
    Contradict(places, "checkpoint_examples", "0, and checkpoint_steps is 0: nothing is validated");
  }
  if (FindSchedule(s.schedule)->needs_length && s.max_steps == 0 && !given.contains("max_epochs")) {
    Contradict(places, "schedule",
               fmt::format("{} ends with the training, whose length is not known", s.schedule),
               "give max_steps or max_epochs");
  }
  if (FindSchedule(s.schedule)->needs_length && s.max_steps == 0 && !EpochsAreAlike(s)) {
    const std::string why = s.curriculum.empty() ? "train_data = " + s.train_data : "a curriculum";
    Contradict(places, "schedule",
               fmt::format("{} ends with the training, whose number of steps does not follow from "
                           "max_epochs with {}",
                           s.schedule, why),
               "give max_steps");
  }
  const auto stages = ParseCurriculum(s.curriculum, "").stages;
  if (s.max_steps > 0 && stages.back().step >= s.max_steps) {
    Contradict(places, "curriculum",
               fmt::format("its last stage begins at step {}, and max_steps is {}",
                           stages.back().step, s.max_steps));
  }
  if (s.max_steps > 0 && s.warmup_steps >= s.max_steps) {
    Contradict(places, "warmup_steps",
               fmt::format("{}, and max_steps is {}: nothing is left after the warm-up",
                           s.warmup_steps, s.max_steps));
  }
}

void CheckFigure(const std::string& key, const std::string& figure, const RunSettings& settings,
                 const SettingPlaces& places) {
  const auto figures = FiguresOfLoss(settings.loss);
  if (std::find(figures.begin(), figures.end(), figure) != figures.end()) return;
  Contradict(places, key,
             fmt::format("{} is not measured with loss = {}", Quoted(figure), settings.loss),
             fmt::format("it has {}", Listed(figures, "and")));
}

// The weights of another run are known by their hash.
void FindInitialWeights(const SettingPlaces& places, RunSettings& s) {
  if (s.init_from.empty()) return;
  if (s.init != "paper") {
    Contradict(places, "init", fmt::format("{} has no effect with init_from", s.init));
  }
  const std::string file = RunDirectory(s.init_from).model();
  if (!std::filesystem::exists(file)) {
    Contradict(places, "init_from", fmt::format("{} has no model", Quoted(s.init_from)),
               "expected the directory of a finished run");
  }
  s.init_sha256 = Sha256(ReadRegularFile(file));
}

// Completes what follows from other settings, and refuses those that contradict each other. Throws
// InputError naming both.
void CompleteRecipe(const SettingTexts& given, const SettingPlaces& places, RunSettings& s) {
  const RecipeTexts texts{s};
  CheckIsRead(OptimizerCatalog(), "optimizer", s.optimizer, texts, places);
  CheckIsRead(ScheduleCatalog(), "schedule", s.schedule, texts, places);
  if (s.weight_decay_on == "all" && s.weight_decay == 0) {
    Contradict(places, "weight_decay_on", "all has no effect with weight_decay = 0");
  }
  CompleteLength(given, places, s);
  CheckFigure("select", s.select, s, places);
  if (!s.stop_at.empty()) {
    CheckFigure("stop_at", ParseCondition(s.stop_at, "").figure, s, places);
  } else if (s.stop_for != 1) {
    Contradict(places, "stop_for", fmt::format("{} has no effect without stop_at", s.stop_for));
  }
  if (s.readout == "eos" && !HasRecognition(s.loss)) {
    Contradict(places, "readout",
               fmt::format("eos is what recognition looks at, and loss = {} has no rec", s.loss));
  }
  const auto padding = s.options.find("padding");
  if (padding != s.options.end() && padding->second != "0" && !HasRecognition(s.loss)) {
    Contradict(places, "padding",
               fmt::format("{} symbols are read before recognition, and loss = {} has no rec",
                           padding->second, s.loss));
  }
}

// An external program may ignore any setting in config.json.
void RefuseSettingsOfPrograms(const SettingPlaces& places, const RunSettings& settings) {
  const auto own_business = [&](const char* key, const char* what) {
    if (RecipeTexts{settings}.IsUsual(key)) return;
    Contradict(
        places, key,
        fmt::format("{} trains itself, and {} its own business", settings.architecture, what));
  };
  for (const char* key : {"init", "init_from", "readout"}) own_business(key, "its weights are");
  for (const char* key : {"train_data", "curriculum"}) {
    own_business(key, "what it draws from the dataset's files is");
  }
}

// A module in PyTorch is made before anything here is asked: it has its weights, and it alone knows
// which vector recognition reads.
void RefuseSettingsOfModules(const SettingPlaces& places, const RunSettings& settings) {
  const auto refuse = [&](const char* key, const std::string& why, const char* hint) {
    const RecipeTexts texts{settings};
    if (!texts.IsUsual(key)) Contradict(places, key, texts.Of(key) + why, hint);
  };
  refuse("init",
         " is a rule for the parameters of our own architectures, and a module has its weights "
         "already",
         "draw them where the module is made: fl.torch.initial(..., init=...), torch.nn.init; "
         "init_from takes those of a run");
  refuse("readout", " is decided by the module, which gives one logit per string",
         "choose it where the module is made: fl.torch.initial(..., readout=\"eos\")");
}

}  // namespace

RunSettings MakeExternalSettings(const SettingTexts& given, const External& external,
                                 const SettingPlaces& places) {
  RunSettings settings = ParseSettings(given, places, {external});
  settings.validation = ValidationSplit(settings.validation);
  settings.arithmetic = kExternalArithmetic;
  if (given.contains("hidden")) settings.budget = 0;
  CompleteRecipe(given, places, settings);
  if (FollowsRecipes(external)) {
    RefuseSettingsOfModules(places, settings);
    FindInitialWeights(places, settings);
  } else {
    RefuseSettingsOfPrograms(places, settings);
  }
  DrawMissing(given, settings);
  return settings;
}

RunSettings MakeSettings(const SettingTexts& given, std::size_t vocabulary,
                         const SettingPlaces& places) {
  RunSettings settings = ParseSettings(given, places);
  settings.validation = ValidationSplit(settings.validation);
  if (settings.target == "native") settings.native_target = NativeTargetName();
  const Architecture& architecture = *FindArchitecture(settings.architecture);
  settings.arithmetic = ArithmeticOf(architecture, settings.options);
  if (architecture.conflict != nullptr) {
    if (const auto conflict = architecture.conflict(settings.options)) {
      Contradict(places, conflict->option, conflict->message);
    }
  }
  ChooseHiddenSize(given, vocabulary, places, settings);
  CheckSize(vocabulary, places.file(), settings);
  CompleteRecipe(given, places, settings);
  FindInitialWeights(places, settings);
  DrawMissing(given, settings);
  // This check is last, since another machine may have the target that this one lacks.
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
          .states = states,
          .recognizes = HasRecognition(settings.loss),
          .reads_eos = settings.readout == "eos"};
}

OptimizerConfig OptimizerOf(const RunSettings& s) {
  return {.name = s.optimizer,
          .beta1 = s.adam_beta1,
          .beta2 = s.adam_beta2,
          .epsilon = s.adam_epsilon,
          .momentum = s.momentum,
          .rmsprop_decay = s.rmsprop_decay,
          .weight_decay = s.weight_decay,
          .decays_all = s.weight_decay_on == "all",
          .clip_norm = s.clip_norm,
          .rounded_betas = s.arithmetic == "0.1"};
}

ScheduleConfig ScheduleOf(const RunSettings& s, std::size_t steps_per_epoch) {
  const std::size_t in_epochs = s.max_epochs * steps_per_epoch;
  return {.name = s.schedule,
          .learning_rate = s.learning_rate,
          .floor = s.learning_rate_floor,
          .warmup_steps = s.warmup_steps,
          .length = in_epochs == 0     ? s.max_steps
                    : s.max_steps == 0 ? in_epochs
                                       : std::min(s.max_steps, in_epochs),
          .factor = s.learning_rate_factor,
          .patience = s.learning_rate_patience};
}

bool LooksAtNegatives(const RunSettings& settings) {
  const auto terms = LossTerms(settings.loss);
  return HasRecognition(settings.loss) ||
         std::any_of(terms.begin(), terms.end(), [](const std::string& term) {
           return FindLossTerm(term)->strings == TermRows::Strings::kAll;
         });
}

std::vector<double> CoefficientsOf(const RunSettings& settings) {
  std::vector<double> coefficients;
  for (const std::string& term : LossTerms(settings.loss)) {
    coefficients.push_back(settings.coefficients.at(term));
  }
  return coefficients;
}

}  // namespace flare
