#include "flare/cli/run_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/lock_file.h"
#include "flare/base/text.h"
#include "flare/base/toml_settings.h"
#include "flare/cli/terminal.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/target.h"
#include "flare/runs/run_settings.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"
#include "flare/training/train_data.h"

namespace flare {

std::unique_ptr<OwnedRun> OpenRun(const std::string& path, const StopSignals& signals,
                                  double time_limit) {
  const Stopwatch watch;
  LockObserver observer;
  LockOwner owner;
  std::string stopped;
  const auto attempt = [&](LockState& state) {
    return OwnedRun::TryOpen(path, observer, &owner, &state);
  };
  const auto stop = [&] {
    stopped = watch.Seconds() >= time_limit ? "time limit" : signals.Received();
    return !stopped.empty();
  };
  const auto watching = [&] {
    Tell("flare: {}: locked by {}; watching for up to {} s to see whether it is alive\n", path,
         owner.Describe(), LockObserver::kPatience.count());
  };
  auto run = WhileUndecided(attempt, stop, watching);
  if (run != nullptr) return run;
  if (stopped.empty()) {
    Tell("flare: {}: {} is working on this run\n", path, owner.Describe());
  } else {
    Tell("flare: {}: stopped ({}) while watching\n", path, stopped);
  }
  return nullptr;
}

void CheckIsOutsideRuns(const std::filesystem::path& folder) {
  auto path = std::filesystem::weakly_canonical(folder);
  for (; path.has_relative_path(); path = path.parent_path()) {
    if (!RunDirectory(path).is_begun()) continue;
    throw InputError(folder, "belongs to a run", "name a folder outside of it");
  }
}

std::unique_ptr<Model> LoadAndTell(const RunDirectory& run, const RunPlan& plan) {
  TrainedModel trained = LoadModel(run, plan);
  if (trained.best_so_far) {
    Tell("flare: {}: not finished; using its best checkpoint so far, of epoch {}\n",
         run.path().string(), *trained.best_so_far);
  }
  return std::move(trained.model);
}

namespace {

// Pools, tables and exact errors grow with it.
constexpr std::uint64_t kLongestClaim = 10'000;

}  // namespace

ExtractionArguments::ExtractionArguments(CLI::App& app)
    : max_length_option_(AddCount(app, "--max-length", max_length_,
                                  "the automaton is a claim about strings up to this length")
                             ->default_str("the longest training string")) {
  AddCount(app, "--max-states", max_states_, "stop at an automaton of this many states");
  AddCount(app, "--queries", queries_, "stop after asking the network about this many strings");
}

ExtractionOptions ExtractionArguments::Get() const {
  if (max_length_ > kLongestClaim) {
    throw InputError("--max-length", fmt::format("{} is above {}", max_length_, kLongestClaim));
  }
  if (max_states_ == 0) throw InputError("--max-states", "expected at least 1 state");
  if (queries_ == 0) throw InputError("--queries", "expected at least 1 string");
  ExtractionOptions options{.max_states = max_states_, .max_queries = queries_};
  if (max_length_option_->count() > 0) options.max_length = max_length_;
  return options;
}

namespace {

// A run needs these settings; the others have defaults or are drawn.
constexpr const char* kNecessary[] = {"architecture", "loss", "validation"};

// Returns the default that help shows for a setting; nothing if the setting is required, drawn or
// follows from others.
template <class Field>
std::string DefaultText(const Field& field) {
  if constexpr (std::is_same_v<Field, std::string>) {
    return field;
  } else {
    return field == Field{} ? "" : fmt::format("{}", field);
  }
}

// Drops the options of an architecture that a flag replaces, and the coefficients of a loss that a
// flag replaces. Those that the new architecture or loss has as well stay.
void DropReplacedSettings(const SettingTexts& given, SettingTexts& texts) {
  if (given.contains("hidden")) texts.erase("budget");
  if (given.contains("budget")) texts.erase("hidden");
  const auto* architecture =
      given.contains("architecture") ? FindArchitecture(given.at("architecture")) : nullptr;
  if (architecture != nullptr) {
    for (const Architecture& other : Architectures()) {
      for (const Option& option : other.options) {
        const bool stays = std::any_of(architecture->options.begin(), architecture->options.end(),
                                       [&](const Option& own) { return own.name == option.name; });
        if (!stays) texts.erase(option.name);
      }
    }
  }
  if (given.contains("checkpoint_steps")) texts.erase("checkpoint_examples");
  if (given.contains("checkpoint_examples")) texts.erase("checkpoint_steps");
  if (!given.contains("loss")) return;
  texts.erase("select");
  const std::string loss = CanonicalLoss(given.at("loss"), FlagOf("loss"));
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (!HasLossTerm(loss, term.name)) texts.erase(CoefficientKey(term.name));
  }
}

// Results are promised per target, so nobody should have to wonder why they differ from another
// machine's.
void ChooseTarget(const std::string& run, SettingTexts& texts) {
  const std::string target = DefaultTarget();
  if (!texts.emplace("target", target).second || target == RunSettings{}.target) return;
  Tell("flare: {}: this CPU has no AVX2, so the target is {}; --target chooses another\n", run,
       target);
}

// A help, with the words that are to choose from, unless it explains each, as in "fast (a) or (b)".
std::string WithWords(const std::string& help, const std::vector<std::string>& words) {
  const bool says_it = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return help.find("(" + word + ")") != std::string::npos;
  });
  return says_it ? help : fmt::format("{}: {}", help, Listed(words, "or"));
}

// The help of a setting.
std::string HelpOf(const std::string& key, const std::string& help) {
  std::vector<std::string> words = WordsOf(key);
  if (key == "loss") {
    words = {"rec"};
    for (const LossTermInfo& term : LossTermCatalog()) words.push_back(term.name);
  }
  return WithWords(help, words);
}

// The help of an option of an architecture.
std::string WithValues(const Option& option) {
  return option.values.empty() ? fmt::format("{}: {} to {}", option.help, option.least, option.most)
                               : WithWords(option.help, option.values);
}

}  // namespace

TrainArguments::TrainArguments(CLI::App& app) {
  app.add_option("--run", run_,
                 "directory of the run; one that is begun is continued, and needs no other option")
      ->type_name("DIR");
  app.add_option("--data", data_, "a dataset in the FLaRe layout")->type_name("DIR");
  app.add_option("--config", config_,
                 "settings by their names, as TOML, and data; or a run's config.json. Flags "
                 "override it")
      ->type_name("FILE");
  app.add_option("--from", from_, "settings and data of another run. Flags override them")
      ->type_name("RUN");
  RunSettings defaults;
  VisitSettings(defaults, [&](const std::string& key, const auto& field, const SettingRange&,
                              const char* help) {
    constexpr bool kIsText = std::is_same_v<std::decay_t<decltype(field)>, std::string>;
    Add(app, key, HelpOf(key, help))
        ->type_name(kIsText ? "NAME" : "NUMBER")
        ->default_str(key == "seed" ? "0" : DefaultText(field));
    if (key != "learning_rate") return;
    for (const LossTermInfo& term : LossTermCatalog()) {
      Add(app, CoefficientKey(term.name),
          fmt::format("weight of {} [drawn: log-uniform in 0.01..10]", term.help))
          ->type_name("NUMBER");
    }
  });
  AddOptions(app);
  app.add_option("--time-limit", time_limit_, "stop, resumably, after this time: 90s, 15m, 2h")
      ->type_name("TIME");
  app.add_option("--save-interval", save_interval_,
                 "save the state this often; the result does not depend on it")
      ->type_name("TIME")
      ->default_str("10s");
}

// Texts, so that one reader of settings serves flags, files and grids.
CLI::Option* TrainArguments::Add(CLI::App& app, const std::string& key, const std::string& help) {
  CLI::Option* option = app.add_option(FlagOf(key), texts_[key], help);
  flags_.emplace_back(key, option);
  return option;
}

// An option that several architectures have is one flag; where it is not the same for all of them,
// help says what it is for each.
void TrainArguments::AddOptions(CLI::App& app) {
  struct Owner {
    std::string architecture;
    const Option* option;
  };
  std::vector<std::pair<std::string, std::vector<Owner>>> options;
  for (const Architecture& architecture : Architectures()) {
    for (const Option& one : architecture.options) {
      auto found = std::find_if(options.begin(), options.end(),
                                [&](const auto& other) { return other.first == one.name; });
      if (found == options.end()) found = options.insert(found, {one.name, {}});
      found->second.push_back({architecture.name, &one});
    }
  }
  for (const auto& [name, owners] : options) {
    const Option& first = *owners.front().option;
    const auto all_have = [&, &owners = owners](auto value) {
      return std::all_of(owners.begin(), owners.end(),
                         [&](const Owner& one) { return value(*one.option) == value(first); });
    };
    std::vector<std::string> architectures, helps, defaults;
    for (const auto& [architecture, option] : owners) {
      architectures.push_back(architecture);
      helps.push_back(fmt::format("{}: {}", architecture, WithValues(*option)));
      defaults.push_back(fmt::format("{} {}", architecture, option->default_value));
    }
    const bool same_default = all_have([](const Option& one) { return one.default_value; });
    std::string help =
        all_have(WithValues) ? WithValues(first) : fmt::format("{}", fmt::join(helps, "; "));
    if (!same_default) help += fmt::format(" [{}]", fmt::join(defaults, ", "));
    Add(app, name, help)
        ->type_name("VALUE")
        ->default_str(same_default ? first.default_value : "")
        ->group(fmt::format("Options of the {}", Listed(architectures, "and")));
  }
}

SettingTexts TrainArguments::Given() const {
  SettingTexts given;
  for (const auto& [key, option] : flags_) {
    if (option->count() > 0) given[key] = texts_.at(key);
  }
  return given;
}

TrainArguments::Basis TrainArguments::FindBasis(const SettingTexts& given) const {
  Basis basis;
  const auto take = [&](const RunConfig& config, const std::string& file) {
    CheckIsOurs(config, file);
    basis.settings = TextsOf(config.settings);
    for (const auto& [key, text] : basis.settings) basis.places.Add(key, file);
    basis.data = DataOf(config.data, file);
  };
  if (!config_.empty() && !from_.empty()) {
    throw InputError("", "--config and --from both give the settings: give one of them");
  }
  if (!from_.empty()) {
    const RunDirectory other(from_);
    take(other.ReadConfig(), other.config());
  } else if (config_.ends_with(".json")) {
    JsonReader reader;
    take(ConfigFromJson(reader.Read(config_)), config_);
  } else if (!config_.empty()) {
    for (const TomlSetting& setting : SettingsIn(ParseToml(ReadFile(config_), config_), config_)) {
      if (setting.key == "data") {
        basis.data_path = setting.value;
        continue;
      }
      basis.settings[setting.key] = setting.value;
      basis.places.Add(setting.key, setting.where);
    }
  } else if (const RunDirectory own(run_);
             !run_.empty() && own.is_begun() &&
             std::none_of(std::begin(kNecessary), std::end(kNecessary),
                          [&](const char* key) { return given.contains(key); })) {
    take(own.ReadConfig(), own.config());
  }
  return basis;
}

void TrainArguments::CheckComplete(const Basis& basis) const {
  std::vector<std::string> missing;
  if (run_.empty()) missing.emplace_back("--run");
  if (!basis.data && basis.data_path.empty()) missing.emplace_back("--data");
  for (const char* key : kNecessary) {
    if (!basis.settings.contains(key)) missing.push_back(FlagOf(key));
  }
  if (missing.empty()) return;
  throw InputError(
      "", fmt::format("{} {} required", Listed(missing, "and"), missing.size() == 1 ? "is" : "are"),
      "a run that is begun needs only --run; 'flare train --help' lists the settings");
}

RunPlan TrainArguments::Plan() const {
  const SettingTexts given = Given();
  Basis basis = FindBasis(given);
  DropReplacedSettings(given, basis.settings);
  for (const auto& [key, text] : given) {
    basis.settings[key] = text;
    basis.places.Remove(key);
  }
  if (!data_.empty()) {
    basis.data.reset();
    basis.data_path = data_;
  }
  CheckComplete(basis);
  ChooseTarget(run_, basis.settings);
  if (!basis.data) basis.data = IdentifyData(basis.data_path);
  RunSettings settings = MakeSettings(basis.settings, basis.data->alphabet.size(), basis.places);
  CheckTrainData(settings, basis.data->pinned, basis.places);
  return {std::move(settings), std::move(*basis.data)};
}

RunOptions TrainArguments::Options() const {
  RunOptions how;
  if (!time_limit_.empty()) how.time_limit = ParseDuration(time_limit_, "--time-limit");
  if (!save_interval_.empty()) how.save_interval = ParseDuration(save_interval_, "--save-interval");
  return how;
}

}  // namespace flare
