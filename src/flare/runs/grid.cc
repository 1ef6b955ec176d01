#include "flare/runs/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/runs/run_settings.h"

namespace flare {
namespace {

// A status or a report takes about a kilobyte per run.
constexpr std::size_t kMostRuns = 100'000;

template <class T>
void CheckDistinct(const std::vector<T>& items, const char* key, const SettingPlaces& places) {
  if (std::set<T>(items.begin(), items.end()).size() != items.size()) {
    throw InputError(places.Line(key), fmt::format("{}: a value is listed twice", key));
  }
}

void CheckSize(const Grid& grid) {
  auto runs = static_cast<double>(grid.trials);
  for (const std::size_t size : {grid.languages.size(), grid.variants.size(), grid.losses.size(),
                                 grid.validations.size(), grid.budgets.size()}) {
    if (size == 0) throw InputError(grid.places.file(), "one of the grid's lists is empty");
    runs *= static_cast<double>(size);
  }
  if (runs > static_cast<double>(kMostRuns)) {
    throw InputError(grid.places.file(),
                     fmt::format("{:.0f} runs are more than {}", runs, kMostRuns));
  }
}

// A setting cannot be given for all runs and for a variant too, since the text of a variant leaves
// out default values.
void CheckSettings(const Grid& grid) {
  for (const char* key : {"architecture", "loss", "validation", "budget", "seed"}) {
    if (grid.settings.contains(key)) {
      throw InputError(grid.places.Line(key),
                       fmt::format("settings.{}: a coordinate of the grid, not a setting", key));
    }
  }
  for (const Variant& variant : grid.variants) {
    if ((grid.settings.contains("hidden") || variant.settings.contains("hidden")) &&
        grid.budgets.size() > 1) {
      throw InputError(grid.places.Line("budgets"),
                       "hidden sets the size of a run: give one budget only");
    }
    for (const auto& [key, value] : variant.settings) {
      if (grid.settings.contains(key)) {
        throw InputError(
            grid.places.Line(key),
            fmt::format("{} is a setting of all runs, and of {}", key, Quoted(variant.Text())));
      }
    }
    for (const std::string& loss : grid.losses) {
      const Coordinates run{grid.languages[0].name, variant.Text(),  loss,
                            grid.validations[0],    grid.budgets[0], 1};
      ParseSettings(grid.SettingsOf(run), grid.places, grid.externals);
    }
  }
}

// Do runs of the loss have the metric?
bool HasMetric(const std::string& loss, const std::string& metric) {
  for (const LossTermInfo& term : LossTermCatalog()) {
    if (metric.starts_with(term.key + "_cross") || metric.starts_with(term.key + "_accuracy")) {
      return HasLossTerm(loss, term.name);
    }
  }
  return HasRecognition(loss);
}

void CheckMetric(const Grid& grid) {
  const std::string& metric = grid.report.metric;
  if (metric.empty() ||
      std::any_of(grid.losses.begin(), grid.losses.end(),
                  [&](const std::string& loss) { return HasMetric(loss, metric); })) {
    return;
  }
  throw InputError(grid.places.Line("report"),
                   fmt::format("report.metric: no loss of the grid gives {}", metric),
                   fmt::format("the losses are {}", fmt::join(grid.losses, ", ")));
}

SettingTexts TextsFromJson(const JsonValue& json, std::string_view name) {
  SettingTexts texts;
  if (!json.Find(name)) return texts;
  json.At(name).ForEach([&](std::string_view key, const JsonValue& value) {
    texts[std::string(key)] = value.AsString(key);
  });
  return texts;
}

// Adds the settings that an architecture had in version 0.2 where nobody said, if it has others
// now.
void AddMeaningsOf02(const std::string& name, SettingTexts& texts) {
  const Architecture* architecture = FindArchitecture(name);
  if (architecture == nullptr) return;
  if (architecture->init != "paper" && !texts.contains("init_from")) {
    texts.try_emplace("init", "paper");
  }
  for (const Option& option : architecture->options) {
    if (!option.before.empty() && option.before != option.default_value) {
      texts.try_emplace(option.name, option.before);
    }
  }
}

}  // namespace

void CheckGrid(const Grid& grid) {
  CheckSize(grid);
  std::vector<std::string> languages, variants;
  for (const auto& language : grid.languages) languages.push_back(language.name);
  for (const Variant& variant : grid.variants) variants.push_back(variant.Text());
  CheckDistinct(languages, "languages", grid.places);
  CheckDistinct(variants, "architectures", grid.places);
  CheckDistinct(grid.losses, "losses", grid.places);
  CheckDistinct(grid.validations, "validations", grid.places);
  CheckDistinct(grid.budgets, "budgets", grid.places);
  for (const std::string& name : languages) CheckDirectoryName(name, grid.places.Line("languages"));
  for (const std::string& name : grid.validations) {
    CheckDirectoryName(name, grid.places.Line("validations"));
  }
  CheckSettings(grid);
  CheckMetric(grid);
}

std::vector<Coordinates> Grid::RunsOf(const GridLanguage& language) const {
  std::vector<Coordinates> runs;
  for (const auto& variant : variants) {
    const std::string text = variant.Text();
    for (const auto& loss : losses) {
      for (const auto& validation : validations) {
        for (const std::size_t budget : budgets) {
          for (std::size_t trial = 1; trial <= trials; ++trial) {
            runs.push_back({language.name, text, loss, validation, budget, trial});
          }
        }
      }
    }
  }
  return runs;
}

std::vector<Coordinates> Grid::Runs() const {
  std::vector<Coordinates> runs;
  for (const auto& language : languages) {
    for (Coordinates& run : RunsOf(language)) runs.push_back(std::move(run));
  }
  return runs;
}

std::uint64_t Grid::SeedOf(const Coordinates& run) const {
  // A paired seed depends on the coordinates without the variant.
  const std::string path = paired ? fmt::format("paired/{}/{}/{}/{}/{}", run.language, run.loss,
                                                run.validation, run.budget, run.trial)
                                  : run.Path();
  // 53 bits: a number that every reader of JSON keeps exactly.
  return Rng::For(seed, "run/" + path).Bits() >> 11;
}

SettingTexts Grid::SettingsOf(const Coordinates& run) const {
  SettingTexts texts = settings;
  for (const auto& [key, value] : VariantOf(run.variant).settings) texts[key] = value;
  texts["architecture"] = run.architecture();
  texts["loss"] = run.loss;
  texts["validation"] = run.validation;
  if (!texts.contains("hidden")) texts["budget"] = std::to_string(run.budget);
  texts["seed"] = std::to_string(SeedOf(run));
  if (format == 1) AddMeaningsOf02(run.architecture(), texts);
  // A coefficient applies to the losses that have its term.
  std::erase_if(texts, [&](const auto& setting) {
    constexpr std::string_view kEnding = "_coefficient";
    const std::string& key = setting.first;
    return key.ends_with(kEnding) &&
           !HasLossTerm(run.loss, key.substr(0, key.size() - kEnding.size()));
  });
  return texts;
}

const Grid::GridLanguage& Grid::Language(std::string_view name_of_it) const {
  const auto found = std::find_if(languages.begin(), languages.end(),
                                  [&](const auto& one) { return one.name == name_of_it; });
  FLARE_CHECK(found != languages.end());
  return *found;
}

const Variant& Grid::VariantOf(std::string_view text) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& one) { return one.Text() == text; });
  FLARE_CHECK(found != variants.end());
  return *found;
}

Json GridToJson(const Grid& grid) {
  Json languages = Json::array(), definitions = Json::object(), directories = Json::object(),
       envelopes = Json::object();
  for (const auto& language : grid.languages) {
    languages.push_back(language.name);
    if (language.language != language.name) definitions[language.name] = language.language;
    if (!language.data.empty()) directories[language.name] = language.data;
    if (!language.envelope.empty()) envelopes[language.name] = language.envelope;
  }
  Json variants = Json::array(), labels = Json::object();
  for (const Variant& variant : grid.variants) {
    variants.push_back(variant.Text());
    if (!variant.label.empty()) labels[variant.Text()] = variant.label;
  }
  Json json = {{"name", grid.name},
               {"seed", grid.seed},
               {"data_seed", grid.data_seed},
               {"grid",
                {{"languages", languages},
                 {"architectures", variants},
                 {"losses", grid.losses},
                 {"validations", grid.validations},
                 {"budgets", grid.budgets},
                 {"trials", grid.trials}}},
               {"definitions", definitions},
               {"overrides", grid.settings},
               {"data_overrides", grid.data}};
  // Members that most grids lack are written only if they are not empty.
  if (!grid.externals.empty()) {
    Json externals = Json::object();
    for (const External& one : grid.externals) externals[one.name] = ExternalToJson(one);
    json["external"] = externals;
  }
  if (!labels.empty()) json["labels"] = labels;
  if (grid.paired) json["paired"] = true;
  if (grid.data_preset != "flare") json["data_preset"] = grid.data_preset;
  if (!directories.empty()) json["data_directories"] = directories;
  if (!envelopes.empty()) json["envelopes"] = envelopes;
  if (!grid.report.IsEmpty()) json["report"] = ReportSpecToJson(grid.report);
  return json;
}

Grid GridFromJson(const JsonValue& json) {
  Grid grid;
  grid.places = grid.data_places = json.where();
  if (const auto externals = json.Find("external")) {
    externals->ForEach([&](std::string_view name, const JsonValue& one) {
      grid.externals.push_back(ExternalFromJson(std::string(name), one));
      CheckExternal(grid.externals.back(), json.where());
    });
  }
  grid.name = json.String("name");
  grid.seed = json.Count("seed");
  grid.data_seed = json.Count("data_seed");
  const JsonValue lists = json.At("grid");
  const SettingTexts definitions = TextsFromJson(json, "definitions"),
                     labels = TextsFromJson(json, "labels"),
                     directories = TextsFromJson(json, "data_directories"),
                     envelopes = TextsFromJson(json, "envelopes");
  const auto text_of = [](const SettingTexts& texts, const std::string& key,
                          const std::string& otherwise) {
    const auto found = texts.find(key);
    return found == texts.end() ? otherwise : found->second;
  };
  for (const std::string& name : lists.Strings("languages")) {
    grid.languages.push_back({name, text_of(definitions, name, name),
                              text_of(directories, name, ""), json.where(),
                              text_of(envelopes, name, "")});
  }
  for (const std::string& text : lists.Strings("architectures")) {
    grid.variants.push_back(ParseVariant(text, json.where(), grid.externals));
    grid.variants.back().label = text_of(labels, text, "");
  }
  for (const std::string& loss : lists.Strings("losses")) {
    grid.losses.push_back(CanonicalLoss(loss, json.where()));
  }
  grid.validations = lists.Strings("validations");
  for (const JsonValue& budget : lists.Array("budgets")) {
    grid.budgets.push_back(budget.AsCount("budgets"));
  }
  grid.trials = lists.Count("trials");
  grid.paired = json.Truth("paired");
  grid.settings = TextsFromJson(json, "overrides");
  grid.data_preset = json.StringOr("data_preset", "flare");
  grid.data = TextsFromJson(json, "data_overrides");
  if (const auto report = json.Find("report")) grid.report = ReportSpecFromJson(*report);
  CheckGrid(grid);
  return grid;
}

RunFilter::RunFilter(const std::vector<std::string>& conditions, const Grid& grid) {
  const auto& names = Coordinates::CoordinateNames();
  const auto runs = grid.Runs();
  for (const std::string& condition : conditions) {
    const std::size_t equals = condition.find('=');
    const std::string name = condition.substr(0, equals);
    if (equals == std::string::npos || std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError("--only", fmt::format("{} is not COORDINATE=VALUE,...", Quoted(condition)),
                       fmt::format("coordinates: {}", fmt::join(names, ", ")));
    }
    for (std::size_t begin = equals + 1; begin <= condition.size();) {
      const std::size_t end = name == "variant"
                                  ? condition.size()
                                  : std::min(condition.find(',', begin), condition.size());
      const std::string value = condition.substr(begin, end - begin);
      if (std::none_of(runs.begin(), runs.end(),
                       [&](const Coordinates& run) { return run.Get(name) == value; })) {
        throw InputError("--only", fmt::format("the grid has no {} {}", name, Quoted(value)));
      }
      conditions_[name].push_back(value);
      begin = end + 1;
    }
  }
}

bool RunFilter::Matches(const Coordinates& run) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& condition) {
    const auto& [name, values] = condition;
    return std::find(values.begin(), values.end(), run.Get(name)) != values.end();
  });
}

namespace {

template <class Visit>
void ForEachPreset(Visit visit) {
  for (const std::string_view file : BuiltInFiles()) {
    if (!file.ends_with(".toml")) continue;
    Grid grid = ParseGrid(*BuiltInFile(file), std::string(file));
    if (!grid.report.published.empty()) {
      grid.report.published = "built-in:" + grid.report.published;
    }
    visit(grid);
  }
}

}  // namespace

std::vector<Grid> Presets() {
  std::vector<Grid> all;
  ForEachPreset([&](Grid& grid) { all.push_back(std::move(grid)); });
  std::sort(all.begin(), all.end(), [](const Grid& a, const Grid& b) { return a.name < b.name; });
  return all;
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> all;
  for (const Grid& grid : Presets()) all.push_back(grid.name);
  return all;
}

std::optional<Grid> FindPreset(const std::string& name) {
  std::optional<Grid> found;
  if (name.empty()) return found;
  ForEachPreset([&](const Grid& grid) {
    if (grid.name == name) found = grid;
  });
  return found;
}

}  // namespace flare
