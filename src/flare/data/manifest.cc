#include "flare/data/manifest.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "flare/automata/dfa_json.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/base/version.h"
#include "flare/data/flare_files.h"
#include "flare/languages/regular.h"

namespace flare {
namespace {

constexpr const char* kFormat = "flare-dataset-1";

Json RecipeToJson(const Manifest& m, bool comparing) {
  // Two texts that define the same automaton are the same recipe.
  const bool by_automaton = !m.automaton.is_null();
  return {{"name", m.name},
          {"language",
           {{"source", by_automaton && comparing ? "" : m.language},
            {"class", m.language_class},
            {"definition", by_automaton && comparing ? "" : m.definition},
            {"alphabet", m.alphabet},
            {"automaton", m.automaton}}},
          {"seed", m.seed},
          {"preset", m.preset},
          {"settings", m.settings}};
}

}  // namespace

Manifest MakeManifest(const NamedLanguage& language, const std::string& name, std::uint64_t seed,
                      const DatasetConfig& config) {
  Manifest m;
  m.program = std::string("flare ") + Version();
  m.name = name;
  m.language = language.name;
  m.language_class = ShortName(language.language_class);
  m.definition = language.definition;
  m.alphabet = language.language->alphabet().names();
  if (IsDefinition(language.name)) m.automaton = DfaToJson(*language.language->dfa());
  m.seed = seed;
  m.preset = config.preset;
  m.settings = Json::object();
  for (const auto& [key, value] : SettingsOf(config)) m.settings[key] = Json::parse(value);
  return m;
}

std::string FormatManifest(const Manifest& m) {
  Json json = {{"format", kFormat}, {"program", m.program}};
  json.update(RecipeToJson(m, false));
  json["omitted"] = Json::array();
  for (const auto& [name, reason] : m.omitted) {
    json["omitted"].push_back({{"split", name}, {"reason", reason}});
  }
  json["files"] = Json::object();
  for (const auto& [path, file] : m.files) {
    json["files"][path] = {{"bytes", file.bytes}, {"sha256", file.sha256}};
  }
  return JsonText(json);
}

std::optional<Manifest> ReadManifest(const std::filesystem::path& dataset) {
  const std::string path = dataset / kManifestFile;
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const Json json = ParseJson(ReadRegularFile(path), path);
    if (json.at("format") != kFormat) {
      throw InputError(path, fmt::format("its format is not {}", kFormat));
    }
    Manifest m;
    m.program = json.at("program");
    m.name = json.at("name");
    const Json& language = json.at("language");
    m.language = language.at("source");
    m.language_class = language.at("class");
    m.definition = language.at("definition");
    m.alphabet = language.at("alphabet").get<std::vector<std::string>>();
    m.automaton = language.at("automaton");
    if (!json.at("seed").is_number_unsigned()) throw InputError(path, "seed: not a whole number");
    m.seed = json.at("seed");
    m.preset = json.at("preset");
    m.settings = json.at("settings");
    for (const auto& split : json.at("omitted")) {
      m.omitted.push_back({split.at("split"), split.at("reason")});
    }
    for (const auto& [name, file] : json.at("files").items()) {
      const std::filesystem::path file_path(name);
      if (file_path.is_absolute() || file_path != file_path.lexically_normal() ||
          name.starts_with("..")) {
        throw InputError(path,
                         fmt::format("files: {} is not a path inside the dataset", Quoted(name)));
      }
      m.files[name] = {Whole<std::uint64_t>(file.at("bytes")), file.at("sha256")};
    }
    return m;
  } catch (const Json::exception& error) {
    throw InputError(path, fmt::format("not a manifest: {}", error.what()));
  }
}

std::string RecipeDifference(const Manifest& there, const Manifest& wanted) {
  return FirstDifference(RecipeToJson(there, true), RecipeToJson(wanted, true), "");
}

NamedLanguage LanguageOf(const Manifest& m, const std::string& where) {
  if (m.automaton.is_null()) {
    if (IsDefinition(m.language)) {
      throw InputError(where, fmt::format("language {} has no automaton", Quoted(m.language)));
    }
    NamedLanguage language = ResolveLanguage(m.language);
    if (!(language.language->alphabet() == Alphabet(m.alphabet))) {
      throw InputError(where, fmt::format("alphabet: is not that of {}", m.language));
    }
    return language;
  }
  const Dfa dfa = DfaFromJson(m.automaton, Alphabet(m.alphabet), where);
  return {m.language,   LanguageClass::kRegular,
          m.definition, m.name,
          "",           std::make_unique<RegularLanguage>(dfa)};
}

DatasetConfig ConfigOf(const Manifest& m, const std::string& where) {
  DatasetConfig config{.preset = m.preset};
  if (!m.settings.is_object()) throw InputError(where, "settings: expected an object");
  for (const auto& [key, value] : m.settings.items()) {
    ApplySetting(key, value.is_string() ? value.get<std::string>() : value.dump(), where, config);
  }
  try {
    Validate(config);
  } catch (const InputError& error) {
    throw InputError(where, fmt::format("settings: {}", error.what()));
  }
  return config;
}

}  // namespace flare
