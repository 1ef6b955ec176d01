#include "flare/experiments/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "flare/base/error.h"
#include "flare/base/rng.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/toml_settings.h"
#include "flare/languages/catalog.h"
#include "flare/languages/paper_names.h"
#include "flare/languages/resolve.h"
#include "flare/training/run_data.h"

namespace flare {
namespace {

// Of which a status or a report takes a kilobyte each. report/sweep.cc refuses the same number.
constexpr std::size_t kMostRuns = 100'000;

class Reader {
 public:
  Reader(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  std::string Where(const toml::node& node) const { return WhereIs(node, file_); }

  std::vector<std::string> Words(const char* key) const {
    std::vector<std::string> words;
    for (const toml::node& node : List(key)) {
      const auto* text = node.as_string();
      if (text == nullptr) throw InputError(Where(node), fmt::format("{}: expected words", key));
      words.push_back(text->get());
    }
    return words;
  }

  std::vector<std::size_t> Numbers(const char* key) const {
    std::vector<std::size_t> numbers;
    for (const toml::node& node : List(key)) {
      const auto* number = node.as_integer();
      if (number == nullptr || number->get() < 1) {
        throw InputError(Where(node), fmt::format("{}: expected numbers from 1", key));
      }
      numbers.push_back(static_cast<std::size_t>(number->get()));
    }
    return numbers;
  }

  std::string Word(const char* key, const std::string& otherwise) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    const auto* text = node->as_string();
    if (text == nullptr) throw InputError(Where(*node), fmt::format("{}: expected a word", key));
    return text->get();
  }

  std::size_t Number(const char* key, std::size_t otherwise, std::int64_t least) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    const auto* number = node->as_integer();
    if (number == nullptr || number->get() < least) {
      throw InputError(Where(*node), fmt::format("{}: expected a number from {}", key, least));
    }
    return static_cast<std::size_t>(number->get());
  }

  std::vector<Grid::GridLanguage> Languages() const {
    std::vector<Grid::GridLanguage> languages;
    const toml::node* node = table_.get("languages");
    if (node != nullptr && node->is_string()) {
      for (const std::string& name : Group(*node)) languages.push_back({name, name});
      return languages;
    }
    for (const toml::node& item : List("languages")) {
      const std::string where = Where(item);
      if (const auto* text = item.as_string()) {
        if (IsDefinition(text->get())) {
          throw InputError(where, fmt::format("{} needs a name", Quoted(text->get())),
                           "write {name = \"NAME\", language = \"regex:...\"}");
        }
        languages.push_back({text->get(), text->get()});
      } else if (const auto* table = item.as_table()) {
        const auto* name = table->get_as<std::string>("name");
        const auto* language = table->get_as<std::string>("language");
        if (name == nullptr || language == nullptr || table->size() != 2) {
          throw InputError(where, "a language is a name, or {name = ..., language = ...}");
        }
        languages.push_back({name->get(), language->get()});
      } else {
        throw InputError(where, "a language is a name, or {name = ..., language = ...}");
      }
      CheckDirectoryName(languages.back().name, where);
      const auto& [name, language] = languages.back();
      CheckPaperName(name, ResolveLanguage(language), where);
    }
    return languages;
  }

  SettingTexts Table(const char* key) const {
    SettingTexts texts;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return texts;
    if (!node->is_table()) throw InputError(Where(*node), fmt::format("[{}] is a table", key));
    for (const auto& setting : SettingsIn(*node->as_table(), file_)) {
      texts[setting.key] = setting.value;
    }
    return texts;
  }

 private:
  // Languages that have one word for them all.
  std::vector<std::string> Group(const toml::node& node) const {
    const std::string& word = node.as_string()->get();
    if (word == "paper") return PaperLanguages();
    if (word != "all") {
      throw InputError(Where(node), fmt::format("languages: {} is not a list", Quoted(word)),
                       "expected \"paper\", \"all\" or a list");
    }
    std::vector<std::string> names;
    for (const CatalogEntry& entry : Catalog()) names.push_back(entry.name);
    return names;
  }

  const toml::array& List(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) throw InputError(file_, fmt::format("it has no {}", key));
    const auto* array = node->as_array();
    if (array == nullptr || array->empty()) {
      throw InputError(Where(*node), fmt::format("{}: expected a list that is not empty", key));
    }
    return *array;
  }

  const toml::table& table_;
  const std::string& file_;
};

void CheckKeys(const toml::table& table, const std::string& file) {
  static const std::vector<std::string> keys = {"name",   "languages", "architectures", "losses",
                                                "trials", "budgets",   "validations",   "seed",
                                                "data",   "data_seed", "settings"};
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const auto nearest = Nearest(key, keys);
    throw InputError(WhereIs(node, file), fmt::format("unknown key {}", Quoted(key)),
                     nearest ? fmt::format("did you mean {}?", *nearest)
                             : fmt::format("expected {}", fmt::join(keys, ", ")));
  }
}

template <class T>
void CheckDistinct(const std::vector<T>& items, const char* key, const std::string& file) {
  if (std::set<T>(items.begin(), items.end()).size() != items.size()) {
    throw InputError(file, fmt::format("{}: one of them is there twice", key));
  }
}

// Everything that can be wrong with a grid shows here, not in the middle of a sweep.
void Validate(const Grid& grid, const std::string& file) {
  std::vector<std::string> names;
  for (const auto& language : grid.languages) names.push_back(language.name);
  CheckDistinct(names, "languages", file);
  CheckDistinct(grid.architectures, "architectures", file);
  CheckDistinct(grid.losses, "losses", file);
  CheckDistinct(grid.validations, "validations", file);
  CheckDistinct(grid.budgets, "budgets", file);
  for (const std::string& name : names) CheckDirectoryName(name, file);
  for (const std::string& validation : grid.validations) CheckDirectoryName(validation, file);
  auto runs = static_cast<double>(grid.trials);
  for (const std::size_t size : {names.size(), grid.architectures.size(), grid.losses.size(),
                                 grid.validations.size(), grid.budgets.size()}) {
    runs *= static_cast<double>(size);
  }
  if (runs > static_cast<double>(kMostRuns)) {
    throw InputError(file, fmt::format("{:.0f} runs are more than {}", runs, kMostRuns));
  }
  for (const char* key : {"architecture", "loss", "validation", "budget", "seed"}) {
    if (grid.settings.contains(key)) {
      throw InputError(file,
                       fmt::format("settings.{}: a coordinate of the grid, not a setting", key));
    }
  }
  if (grid.settings.contains("hidden") && grid.budgets.size() > 1) {
    throw InputError(file, "settings.hidden sets the size of every run: give one budget only");
  }
  for (const std::string& architecture : grid.architectures) {
    for (const std::string& loss : grid.losses) {
      for (const std::size_t budget : grid.budgets) {
        const Coordinates run{names[0], architecture, loss, grid.validations[0], budget, 1};
        MakeRunConfig(grid.SettingsOf(run), 2, file);
      }
    }
  }
  DatasetConfig config = MakePreset("flare");
  for (const auto& [key, value] : grid.data) ApplySetting(key, value, file + ": data", config);
}

}  // namespace

std::string Coordinates::Path() const {
  return fmt::format("{}/{}/{}/{}/{}/{}", language, architecture, loss, validation, budget, trial);
}

std::vector<Coordinates> Grid::Runs() const {
  std::vector<Coordinates> runs;
  for (const auto& language : languages) {
    for (const auto& architecture : architectures) {
      for (const auto& loss : losses) {
        for (const auto& validation : validations) {
          for (const std::size_t budget : budgets) {
            for (std::size_t trial = 1; trial <= trials; ++trial) {
              runs.push_back({language.name, architecture, loss, validation, budget, trial});
            }
          }
        }
      }
    }
  }
  return runs;
}

std::uint64_t Grid::SeedOf(const Coordinates& run) const {
  // 53 bits: a number that every reader of JSON keeps.
  return Rng::For(seed, "run/" + run.Path()).Bits() >> 11;
}

SettingTexts Grid::SettingsOf(const Coordinates& run) const {
  SettingTexts texts = settings;
  texts["architecture"] = run.architecture;
  texts["loss"] = run.loss;
  texts["validation"] = run.validation;
  if (!texts.contains("hidden")) texts["budget"] = std::to_string(run.budget);
  texts["seed"] = std::to_string(SeedOf(run));
  if (run.loss.find("+lm") == std::string::npos) texts.erase("lm_coefficient");
  if (run.loss.find("+ns") == std::string::npos) texts.erase("ns_coefficient");
  return texts;
}

Grid ParseGrid(std::string_view text, const std::string& file) {
  const toml::table table = ParseToml(text, file);
  CheckKeys(table, file);
  const Reader reader(table, file);
  Grid grid;
  grid.name = reader.Word("name", std::filesystem::path(file).stem().string());
  CheckRecordable(grid.name);
  grid.languages = reader.Languages();
  grid.architectures = reader.Words("architectures");
  grid.losses = reader.Words("losses");
  grid.validations = reader.Words("validations");
  grid.budgets = reader.Numbers("budgets");
  grid.trials = reader.Number("trials", 1, 1);
  grid.seed = reader.Number("seed", 0, 0);
  grid.data_seed = reader.Number("data_seed", 0, 0);
  grid.settings = reader.Table("settings");
  grid.data = reader.Table("data");
  Validate(grid, file);
  return grid;
}

Grid PresetGrid(const std::string& name) {
  const auto text = PresetFile(name + ".toml");
  if (!text) {
    throw InputError("--preset", fmt::format("there is no {}", Quoted(name)),
                     "expected paper, paper-mini, model-size or demo");
  }
  return ParseGrid(*text, name + ".toml");
}

Json GridToJson(const Grid& grid) {
  Json names = Json::array(), definitions = Json::object();
  for (const auto& [name, language] : grid.languages) {
    names.push_back(name);
    if (language != name) definitions[name] = language;
  }
  return {{"name", grid.name},
          {"seed", grid.seed},
          {"data_seed", grid.data_seed},
          {"grid",
           {{"languages", names},
            {"architectures", grid.architectures},
            {"losses", grid.losses},
            {"validations", grid.validations},
            {"budgets", grid.budgets},
            {"trials", grid.trials}}},
          {"definitions", definitions},
          {"overrides", grid.settings},
          {"data_overrides", grid.data}};
}

Grid GridFromJson(const Json& json, const std::string& file) {
  try {
    Grid grid;
    grid.name = json.at("name");
    grid.seed = Whole<std::uint64_t>(json.at("seed"));
    grid.data_seed = Whole<std::uint64_t>(json.at("data_seed"));
    const Json& lists = json.at("grid");
    for (const Json& name : lists.at("languages")) {
      const std::string text = name;
      grid.languages.push_back({text, json.at("definitions").value(text, text)});
    }
    grid.architectures = lists.at("architectures").get<std::vector<std::string>>();
    grid.losses = lists.at("losses").get<std::vector<std::string>>();
    grid.validations = lists.at("validations").get<std::vector<std::string>>();
    grid.budgets = Wholes<std::size_t>(lists.at("budgets"));
    grid.trials = Whole<std::size_t>(lists.at("trials"));
    grid.settings = json.at("overrides").get<SettingTexts>();
    grid.data = json.at("data_overrides").get<SettingTexts>();
    if (grid.languages.empty() || grid.architectures.empty() || grid.losses.empty() ||
        grid.validations.empty() || grid.budgets.empty()) {
      throw InputError(file, "one of the grid's lists is empty");
    }
    Validate(grid, file);
    return grid;
  } catch (const Json::exception& error) {
    throw InputError(file, error.what());
  }
}

}  // namespace flare
