#include "flare/data/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/flare_files.h"

namespace flare {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> ReadRecorded(const fs::path& dataset, const std::string& relative,
                                        const FileHashes& recorded, const char* hint) {
  const fs::path path = dataset / relative;
  const auto expected = recorded.find(relative);
  if (expected == recorded.end()) {
    if (!fs::exists(path)) return std::nullopt;
    throw InputError(path, "is not among the recorded files", hint);
  }
  if (!fs::exists(path)) throw Unavailable(path, "is missing, although it was recorded", hint);
  std::string bytes;
  try {
    bytes = ReadRegularFile(path);
  } catch (const InputError& error) {
    throw Unavailable("", error.what(), hint);  // the file vanished after that check
  }
  if (Sha256(bytes) != expected->second) {
    throw Unavailable(path, "has changed: its SHA-256 is not the one that was recorded", hint);
  }
  return bytes;
}

}  // namespace

std::string RelativePath(const std::string& split, const char* file) {
  return (SplitPath(split) / file).lexically_normal().string();
}

std::vector<std::string> RecordedSplits(const FileHashes& recorded) {
  std::vector<std::string> splits;
  for (const auto& [name, hash] : recorded) {
    const fs::path file(name);
    if (file.filename() == kMainFile && file.has_parent_path()) {
      splits.push_back(file.parent_path().filename().string());
    }
  }
  std::sort(splits.begin(), splits.end());
  if (recorded.contains(kMainFile)) splits.insert(splits.begin(), std::string(kTrainSplit));
  return splits;
}

SplitFiles RecordedFiles(const fs::path& dataset, const std::string& split,
                         const FileHashes& recorded, const char* hint) {
  return [&dataset, split, &recorded, hint](const char* file) {
    return ReadRecorded(dataset, RelativePath(split, file), recorded, hint);
  };
}

namespace {

constexpr const char* kFormat = "flare-dataset-1";

// So a wrong bit in the name of the check is noticed, too.
void CheckMembers(const Json& json, const std::string& path) {
  static const std::vector<std::string> members = {"format", "program",   "name",     "language",
                                                   "seed",   "preset",    "settings", "omitted",
                                                   "files",  kCheckMember};
  for (const auto& [name, value] : json.items()) {
    if (std::find(members.begin(), members.end(), name) != members.end()) continue;
    const auto nearest = Nearest(name, members);
    throw InputError(path, fmt::format("unknown member {}", Quoted(name)),
                     nearest ? fmt::format("did you mean {}?", *nearest) : "");
  }
}

Json RecipeToJson(const Manifest& m) {
  return {{"name", m.name},
          {"language", ToJson(m.language)},
          {"seed", m.seed},
          {"preset", m.preset},
          {"settings", m.settings}};
}

// Two texts that define the same automaton are the same recipe.
Manifest WithoutWording(Manifest m) {
  if (m.language.IsDefinedByContents()) m.language.text = m.language.definition = "";
  return m;
}

}  // namespace

Manifest MakeManifest(const NamedLanguage& language, const std::string& name, std::uint64_t seed,
                      const DatasetConfig& config) {
  Manifest m;
  m.program = std::string("flare ") + Version();
  m.name = name;
  m.language = SaveLanguage(language);
  m.seed = seed;
  m.preset = config.preset;
  m.settings = Json::object();
  for (const auto& [key, value] : SettingsOf(config)) m.settings[key] = Json::parse(value);
  m.added_defaults = AddedDefaults(config);
  return m;
}

Json ManifestToJson(const Manifest& m) {
  Json json = {{"format", kFormat}, {"program", m.program}};
  json.update(RecipeToJson(m));
  json["omitted"] = Json::array();
  for (const auto& [name, reason] : m.omitted) {
    json["omitted"].push_back({{"split", name}, {"reason", reason}});
  }
  json["files"] = Json::object();
  for (const auto& [path, file] : m.files) {
    json["files"][path] = {{"bytes", file.bytes}, {"sha256", file.sha256}};
  }
  return json;
}

std::string FormatManifest(const Manifest& m) { return CheckedText(ManifestToJson(m)); }

std::optional<Manifest> ReadManifest(const std::filesystem::path& dataset) {
  const std::string path = dataset / kManifestFile;
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const std::string text = ReadRegularFile(path);
    const Json json = ParseJson(text, path);
    if (json.at(kFormatMember) != kFormat) {
      throw InputError(path,
                       fmt::format("its format is {}, and this program knows {}",
                                   json.at(kFormatMember).dump(), kFormat),
                       "a newer version of flare wrote it, or it is no manifest of ours");
    }
    CheckMembers(json, path);
    Manifest m;
    m.program = json.at("program");
    m.name = json.at("name");
    m.language = SavedLanguageFromJson(json.at("language"));
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
      for (const std::filesystem::path& part : file_path) {
        if (part.native().size() <= NAME_MAX) continue;
        throw InputError(path, fmt::format("files: {} is longer than the name of a file can be",
                                           Quoted(part.string())));
      }
      m.files[name] = {Whole<std::uint64_t>(file.at("bytes")), file.at("sha256")};
    }
    if (json.contains(kCheckMember) && !HasRightCheck(text)) {
      throw InputError(path, kWrongCheck,
                       "restore it, or remove the dataset and generate it again");
    }
    return m;
  } catch (const Json::exception& error) {
    throw InputError(path, fmt::format("not a manifest: {}", FaultOf(error)));
  }
}

std::map<std::string, std::string> ColumnsOf(const Manifest& manifest) {
  std::map<std::string, std::string> columns;
  for (const auto& [name, file] : manifest.files) {
    for (const char* column : kColumnFiles) {
      if (std::filesystem::path(name).filename() == column) columns[name] = file.sha256;
    }
  }
  return columns;
}

std::vector<std::string> YoungerSettings(const Manifest& there, const Manifest& wanted) {
  std::vector<std::string> keys;
  for (const std::string& key : wanted.added_defaults) {
    if (wanted.settings.contains(key) && !there.settings.contains(key)) keys.push_back(key);
  }
  return keys;
}

std::string RecipeDifference(const Manifest& there, const Manifest& wanted) {
  Manifest asked = WithoutWording(wanted);
  for (const std::string& key : YoungerSettings(there, wanted)) asked.settings.erase(key);
  return FirstDifference(RecipeToJson(WithoutWording(there)), RecipeToJson(asked));
}

DatasetConfig ConfigOf(const Manifest& m, const std::string& where) {
  DatasetConfig config{.preset = m.preset};
  if (!m.settings.is_object()) throw InputError(where, "settings: expected an object");
  const auto apply = [&](bool only_kinds) {
    for (const auto& [key, value] : m.settings.items()) {
      if (only_kinds && !(key.starts_with("splits.") && key.ends_with(".kind"))) continue;
      ApplySetting(key, value.is_string() ? value.get<std::string>() : value.dump(), where, config);
    }
  };
  apply(true);  // first the kinds, which create the splits
  SetToValuesBefore(config);
  apply(false);
  try {
    Validate(config);
  } catch (const InputError& error) {
    throw InputError(where, fmt::format("settings: {}", error.what()));
  }
  return ExpandBins(std::move(config));
}

}  // namespace flare
