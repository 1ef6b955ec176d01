// Reads grids as people write them (grid.h), and expands what they abbreviate: sets of languages,
// and lists of settings, which become variants.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/base/toml_settings.h"
#include "flare/languages/catalog.h"
#include "flare/languages/small_languages.h"
#include "flare/languages/source.h"
#include "flare/runs/grid.h"
#include "flare/runs/run_settings.h"

namespace flare {
namespace {

// A setting and the values that it takes, one after the other.
struct Axis {
  std::string key;
  std::vector<std::string> values;
  std::string where;
  bool is_list = false;  // a list with a single value is one, too
};

// A list is an axis; a list of lists of numbers, as a curriculum is one, is a value.
bool IsOneValue(const toml::array& list) {
  return std::all_of(list.begin(), list.end(), [](const toml::node& item) {
    const auto* inner = item.as_array();
    return inner != nullptr && std::all_of(inner->begin(), inner->end(),
                                           [](const toml::node& one) { return one.is_number(); });
  });
}

void CheckKeys(const toml::table& table, const std::vector<std::string>& keys,
               const std::string& file) {
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const auto nearest = Nearest(key, keys);
    throw InputError(WhereIs(node, file), fmt::format("unknown key {}", Quoted(key)),
                     nearest ? fmt::format("did you mean {}?", *nearest)
                             : fmt::format("expected {}", fmt::join(keys, ", ")));
  }
}

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

  std::vector<std::string> Losses() const {
    std::vector<std::string> losses;
    for (const std::string& loss : Words("losses")) {
      losses.push_back(CanonicalLoss(loss, Where(*table_.get("losses")) + ": loss"));
    }
    return losses;
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

  bool Truth(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return false;
    const auto* flag = node->as_boolean();
    if (flag == nullptr)
      throw InputError(Where(*node), fmt::format("{}: expected true or false", key));
    return flag->get();
  }

  std::vector<Grid::GridLanguage> Languages() const {
    std::vector<Grid::GridLanguage> languages;
    const toml::node* node = table_.get("languages");
    if (node != nullptr && node->is_string()) {
      const std::string set = node->as_string()->get();
      // `all` dates from when all languages were the paper's, and still means those, so that old
      // grids keep their meaning.
      if (set != "all" && set != "paper") {
        throw InputError(Where(*node), fmt::format("languages: {} is not a list", Quoted(set)),
                         "expected a list, or one of 'all', 'paper'");
      }
      for (const std::string& name : PaperLanguages()) {
        languages.push_back({name, name, "", Where(*node)});
      }
      return languages;
    }
    for (const toml::node& item : List("languages")) {
      if (!AddAtlas(item, languages)) languages.push_back(Language(item));
    }
    return languages;
  }

  // The architectures that other programs train. One that is listed twice, with different values of
  // its options, counts once.
  std::vector<External> Externals() const {
    std::vector<External> externals;
    for (const toml::node& item : List("architectures")) {
      const auto* table = item.as_table();
      if (table == nullptr || !table->contains("command")) continue;
      External external = ExternalIn(*table);
      CheckExternal(external, Where(item));
      const External* there = FindExternal(externals, external.name);
      if (there == nullptr) {
        externals.push_back(std::move(external));
      } else if (*there != external) {
        throw InputError(Where(item),
                         fmt::format("{} is defined already, with another command or other options",
                                     Quoted(external.name)));
      }
    }
    return externals;
  }

  // Every architecture with its own settings and those of `axes`, in the order of the lists.
  // `settings` are those of every run.
  std::vector<Variant> Variants(const SettingTexts& settings, const std::vector<Axis>& axes,
                                const std::vector<External>& externals) const {
    std::vector<Variant> variants;
    for (const toml::node& item : List("architectures")) {
      const std::string where = Where(item);
      std::string architecture, label;
      std::vector<Axis> own;
      if (const auto* text = item.as_string()) {
        architecture = text->get();
      } else if (const auto* table = item.as_table()) {
        own = AxesIn(*table);
        label = Take(own, "name", where).value_or("");
        if (label.starts_with(' ') || label.ends_with(' ')) {
          throw InputError(where,
                           fmt::format("name: {} begins or ends with a blank", Quoted(label)));
        }
        if (!table->contains("command") && !table->contains("architecture")) {
          throw InputError(where, "has neither an architecture nor a command",
                           label.empty()
                               ? "expected {architecture = ..., SETTING = ...}"
                               : fmt::format("name is what tables call it: {{architecture = {}, "
                                             "SETTING = ...}} is one of the program's own",
                                             Quoted(label)));
        }
        architecture =
            table->contains("command") ? label : Take(own, "architecture", where).value_or("");
      } else {
        throw InputError(where,
                         "an architecture is a name, {architecture = ..., SETTING = ...} or {name "
                         "= ..., command = [...], SETTING = ...}");
      }
      CheckNotSetForAllRuns(own, settings, axes, where);
      own.insert(own.end(), axes.begin(), axes.end());
      SettingPlaces places(where);
      for (const Axis& axis : own) places.Add(axis.key, axis.where);
      for (const SettingTexts& combination : Combinations(own)) {
        Variant variant = MakeVariant(architecture, combination, places, externals);
        if (!label.empty()) variant.label = label + AlongAxes(variant, own);
        CheckNameIsFree(variant, variants, where);
        variants.push_back(std::move(variant));
      }
    }
    return variants;
  }

  // The settings that are tuned: each has a list of values, in [settings] or of an architecture.
  std::vector<std::string> Tuned(std::vector<Axis> axes) const {
    const toml::node* node = table_.get("tuned");
    if (node == nullptr) return {};
    for (const toml::node& item : List("architectures")) {
      if (const auto* table = item.as_table()) {
        for (Axis& axis : AxesIn(*table)) axes.push_back(std::move(axis));
      }
    }
    const std::vector<std::string> tuned = Words("tuned");
    for (const std::string& key : tuned) {
      const bool is_varied = std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) {
        return axis.key == key && axis.values.size() > 1;
      });
      if (is_varied) continue;
      throw InputError(Where(*node), fmt::format("tuned: {} has no two values in this grid", key),
                       fmt::format("give it a list: {} = [..., ...]", key));
    }
    return tuned;
  }

  // Does an axis or an architecture set `target`?
  bool NamesTargets(const std::vector<Axis>& axes) const {
    if (Find(axes, "target") != axes.end()) return true;
    const toml::array& architectures = List("architectures");
    return std::any_of(architectures.begin(), architectures.end(), [](const toml::node& item) {
      return item.is_table() && item.as_table()->contains("target");
    });
  }

  // Reads [settings]: the settings of every run, and lists, which are axes.
  void Settings(SettingTexts& settings, SettingPlaces& places, std::vector<Axis>& axes) const {
    const toml::node* node = table_.get("settings");
    if (node == nullptr) return;
    if (!node->is_table()) throw InputError(Where(*node), "[settings] must be a table");
    for (const auto& [name, value] : *node->as_table()) {
      Axis axis = AxisOf(std::string(name.str()), value);
      places.Add(axis.key, axis.where);
      if (axis.is_list) {
        axes.push_back(std::move(axis));
      } else {
        settings[axis.key] = axis.values[0];
      }
    }
  }

  SettingTexts Data(SettingPlaces& places) const {
    SettingTexts texts;
    const toml::node* node = table_.get("data");
    if (node == nullptr) return texts;
    if (!node->is_table()) throw InputError(Where(*node), "[data] must be a table");
    for (const auto& setting : SettingsIn(*node->as_table(), file_)) {
      texts[setting.key] = setting.value;
      places.Add(setting.key, setting.where);
    }
    return texts;
  }

  // Reads [report], and which settings are tuned. The path of the published values is relative to
  // the grid's file.
  ReportSpec Report(const std::vector<Axis>& axes) const {
    ReportSpec spec;
    spec.tuned = Tuned(axes);
    const toml::node* node = table_.get("report");
    if (node == nullptr) return spec;
    if (!node->is_table()) throw InputError(Where(*node), "[report] must be a table");
    const toml::table& table = *node->as_table();
    CheckKeys(table, {"published", "metric", "reach", "columns"}, file_);
    const Reader reader(table, file_);
    spec.metric = reader.Word("metric", "");
    if (const toml::node* reach = table.get("reach")) {
      spec.reach = reach->value<double>();
      if (!reach->is_number()) throw InputError(Where(*reach), "reach: expected a number");
    }
    spec.published = reader.Word("published", "");
    if (!spec.published.empty() && !spec.published.starts_with("built-in:")) {
      spec.published =
          (std::filesystem::path(file_).parent_path() / spec.published).lexically_normal().string();
    }
    CheckReportSpec(spec, Where(*node));
    const toml::node* columns = table.get("columns");
    if (columns == nullptr) return spec;
    if (!columns->is_array_of_tables()) {
      throw InputError(Where(*columns), "report.columns: expected tables, [[report.columns]]");
    }
    for (const toml::node& item : *columns->as_array()) {
      CheckKeys(*item.as_table(), {"name", "title", "validation", "value", "budget"}, file_);
      const Reader column(*item.as_table(), file_);
      spec.columns.push_back({.name = column.Word("name", ""),
                              .title = column.Word("title", ""),
                              .validation = column.Word("validation", ""),
                              .value = ReportValue(column.Word("value", "mean"), Where(item)),
                              .budget = column.Number("budget", 0, 1)});
    }
    CheckReportSpec(spec, Where(*node));
    return spec;
  }

  // Reads the section [about].
  void About(Grid& grid) const {
    const toml::node* node = table_.get("about");
    if (node == nullptr) return;
    if (!node->is_table()) throw InputError(Where(*node), "[about] must be a table");
    const toml::table& table = *node->as_table();
    CheckKeys(table, {"shows", "core_hours"}, file_);
    grid.shows = Reader(table, file_).Word("shows", "");
    const toml::node* hours = table.get("core_hours");
    if (hours == nullptr) return;
    grid.core_hours = hours->value<double>();
    if (!hours->is_number() || !(*grid.core_hours > 0)) {
      throw InputError(Where(*hours), "core_hours: expected a number above 0");
    }
  }

 private:
  const toml::array& List(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) throw InputError(file_, fmt::format("has no {}", key));
    const auto* array = node->as_array();
    if (array == nullptr || array->empty()) {
      throw InputError(Where(*node), fmt::format("{}: expected a list that is not empty", key));
    }
    return *array;
  }

  // Adds the languages of up to K states for {atlas = K}; returns false if the item is something
  // else.
  bool AddAtlas(const toml::node& item, std::vector<Grid::GridLanguage>& languages) const {
    const auto* table = item.as_table();
    if (table == nullptr || !table->contains("atlas")) return false;
    CheckKeys(*table, {"atlas"}, file_);
    const std::string where = Where(item);
    const auto* states = table->get_as<std::int64_t>("atlas");
    if (states == nullptr || states->get() < 1) {
      throw InputError(where, "atlas: expected a number of states, as {atlas = 3}");
    }
    if (states->get() > static_cast<std::int64_t>(kMostSmallStates)) {
      throw InputError(where,
                       fmt::format("languages: atlas: {} is not a number of states from 1 to {}",
                                   states->get(), kMostSmallStates));
    }
    const auto atlas = Atlas(static_cast<std::size_t>(states->get()));
    if (atlas.empty()) {
      throw InputError(where,
                       fmt::format("languages: atlas: {}: all languages of that many states are "
                                   "finite, or their complements are",
                                   states->get()));
    }
    for (const SmallLanguage& small : atlas) {
      languages.push_back({small.Text(), small.Text(), "", where});
    }
    return true;
  }

  Grid::GridLanguage Language(const toml::node& item) const {
    constexpr const char* kExpected =
        "a language is a name, {name = ..., language = ...}, {name = ..., data = DIRECTORY} or "
        "{atlas = STATES}";
    const std::string where = Where(item);
    Grid::GridLanguage language;
    language.where = where;
    if (const auto* text = item.as_string()) {
      language.name = language.language = text->get();
      const auto sources = Sources();
      if (std::any_of(sources.begin(), sources.end(), [&](const LanguageSource& source) {
            return !source.is_name && text->get().starts_with(source.prefix);
          })) {
        throw InputError(where, fmt::format("{} needs a name", Quoted(text->get())),
                         "write {name = \"NAME\", language = \"regex:...\"}");
      }
    } else if (const auto* table = item.as_table()) {
      CheckKeys(*table, {"name", "language", "data", "envelope"}, file_);
      const auto word = [&](const char* key) -> std::optional<std::string> {
        const auto* value = table->get_as<std::string>(key);
        if (value == nullptr && table->contains(key)) throw InputError(where, kExpected);
        return value == nullptr ? std::nullopt : std::optional(value->get());
      };
      const auto name = word("name"), definition = word("language"), data = word("data");
      if (!name || (!definition && !data)) throw InputError(where, kExpected);
      language.name = *name;
      language.language = definition.value_or("");
      language.data = data.value_or("");
      language.envelope = word("envelope").value_or("");
      if (!language.envelope.empty() && !definition) {
        throw InputError(where, "an envelope needs the language that the dataset is made from");
      }
    } else {
      throw InputError(where, kExpected);
    }
    CheckDirectoryName(language.name, where);
    return language;
  }

  Axis AxisOf(const std::string& key, const toml::node& node) const {
    Axis axis{key, {}, Where(node), false};
    if (const auto* array = node.as_array()) {
      if (array->empty()) throw InputError(Where(node), fmt::format("{}: the list is empty", key));
      axis.is_list = !IsOneValue(*array);
      if (!axis.is_list) {
        axis.values.push_back(TomlListText(*array, key, file_));
        return axis;
      }
      for (const toml::node& value : *array) {
        const auto* list = value.as_array();
        axis.values.push_back(list != nullptr ? TomlListText(*list, key, file_)
                                              : TomlText(value, key, file_));
      }
    } else {
      axis.values.push_back(TomlText(node, key, file_));
    }
    return axis;
  }

  std::vector<Axis> AxesIn(const toml::table& table) const {
    std::vector<Axis> axes;
    for (const auto& [name, node] : table) {
      if (name.str() != "command") axes.push_back(AxisOf(std::string(name.str()), node));
    }
    return axes;
  }

  // An architecture given by a command. Keys that no run of ours has are options of the program.
  External ExternalIn(const toml::table& table) const {
    External external;
    const auto* name = table.get_as<std::string>("name");
    if (name == nullptr) throw InputError(Where(table), "a command needs a name");
    external.name = name->get();
    const auto* command = table.get_as<toml::array>("command");
    if (command == nullptr) {
      throw InputError(Where(table), "command: expected a list: the program and its arguments");
    }
    for (const toml::node& word : *command) {
      external.command.push_back(TomlText(word, "command", file_));
    }
    const auto settings = SettingKeysOfAllRuns();
    for (const auto& [key, node] : table) {
      const std::string option(key.str());
      if (option == "name" || option == "command") continue;
      if (std::find(settings.begin(), settings.end(), option) == settings.end()) {
        external.options.push_back(option);
      }
    }
    return external;
  }

  static std::vector<Axis>::const_iterator Find(const std::vector<Axis>& axes,
                                                const std::string& key) {
    return std::find_if(axes.begin(), axes.end(),
                        [&](const Axis& axis) { return axis.key == key; });
  }

  // Otherwise one of the two would be dropped silently.
  static void CheckNotSetForAllRuns(const std::vector<Axis>& own, const SettingTexts& settings,
                                    const std::vector<Axis>& axes, const std::string& where) {
    for (const Axis& axis : own) {
      if (settings.contains(axis.key) || Find(axes, axis.key) != axes.end()) {
        throw InputError(where, fmt::format("{} is also a setting of all runs", axis.key));
      }
    }
  }

  // Removes what is not a setting from the table of an architecture.
  static std::optional<std::string> Take(std::vector<Axis>& axes, const std::string& key,
                                         const std::string& where) {
    const auto found = Find(axes, key);
    if (found == axes.end()) return std::nullopt;
    if (found->values.size() > 1) {
      throw InputError(where, fmt::format("{}: expected a single value", key));
    }
    std::string value = found->values[0];
    axes.erase(found);
    return value;
  }

  // Tables show only the name, that of an architecture in capitals.
  static void CheckNameIsFree(const Variant& variant, const std::vector<Variant>& others,
                              const std::string& where) {
    const auto shown = [](const Variant& v) {
      return InCapitals(v.label.empty() ? v.Text() : v.label);
    };
    for (const Variant& other : others) {
      if (shown(other) != shown(variant) || other.Text() == variant.Text()) continue;
      throw InputError(where,
                       fmt::format("{} and {} have the same name, {}", other.Text(), variant.Text(),
                                   Quoted(variant.label.empty() ? other.label : variant.label)));
    }
  }

  // Returns what tells variants with the same label apart, as ", layers=2".
  static std::string AlongAxes(const Variant& variant, const std::vector<Axis>& axes) {
    std::string text;
    for (const Axis& axis : axes) {
      const auto found = variant.settings.find(axis.key);
      if (axis.values.size() > 1 && found != variant.settings.end()) {
        text += fmt::format(", {}={}", axis.key, found->second);
      }
    }
    return text;
  }

  static std::vector<SettingTexts> Combinations(const std::vector<Axis>& axes) {
    std::vector<SettingTexts> all(1);
    for (const Axis& axis : axes) {
      std::vector<SettingTexts> longer;
      for (const SettingTexts& settings : all) {
        for (const std::string& value : axis.values) {
          longer.push_back(settings);
          longer.back()[axis.key] = value;
        }
      }
      all = std::move(longer);
    }
    return all;
  }

  const toml::table& table_;
  const std::string& file_;
};

}  // namespace

Grid ParseGrid(std::string_view text, const std::string& file) {
  const toml::table table = ParseToml(text, file);
  CheckKeys(table,
            {"name", "languages", "architectures", "losses", "trials", "budgets", "validations",
             "seed", "paired", "data", "data_seed", "settings", "tuned", "report", "about"},
            file);
  Grid grid;
  grid.places = grid.data_places = file;
  for (const auto& [key, node] : table) {
    grid.places.Add(std::string(key.str()), WhereIs(node, file));
  }
  const Reader reader(table, file);
  grid.externals = reader.Externals();
  grid.name = reader.Word("name", std::filesystem::path(file).stem().string());
  CheckRecordable(grid.name);
  grid.languages = reader.Languages();
  std::vector<Axis> axes;
  reader.Settings(grid.settings, grid.places, axes);
  // Without a budget, runs differ by their hidden size, so each variant's text includes it.
  const bool has_budgets = table.contains("budgets");
  if (!has_budgets && grid.settings.contains("hidden")) {
    axes.push_back({"hidden", {grid.settings.at("hidden")}, grid.places.Line("hidden"), false});
    grid.settings.erase("hidden");
  }
  grid.variants = reader.Variants(grid.settings, axes, grid.externals);
  // A variant's text omits the default target.
  const auto sets_target = [](const Variant& one) { return one.settings.contains("target"); };
  if (reader.NamesTargets(axes) &&
      std::none_of(grid.variants.begin(), grid.variants.end(), sets_target)) {
    grid.settings["target"] = RunSettings{}.target;
  }
  grid.losses = reader.Losses();
  grid.validations = reader.Words("validations");
  grid.budgets = {0};
  const auto has_size = [](const Variant& one) { return one.settings.contains("hidden"); };
  if (has_budgets || !std::all_of(grid.variants.begin(), grid.variants.end(), has_size)) {
    grid.budgets = reader.Numbers("budgets");
  }
  grid.trials = reader.Number("trials", 1, 1);
  grid.seed = reader.Number("seed", 0, 0);
  grid.paired = reader.Truth("paired");
  grid.data_seed = reader.Number("data_seed", 0, 0);
  grid.data = reader.Data(grid.data_places);
  if (const auto preset = grid.data.extract("preset")) grid.data_preset = preset.mapped();
  grid.report = reader.Report(axes);
  reader.About(grid);
  CheckGrid(grid);
  return grid;
}

}  // namespace flare
