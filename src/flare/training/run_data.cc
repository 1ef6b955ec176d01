#include "flare/training/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/data/dataset_config.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

constexpr const char* kColumnFiles[] = {kMainFile,     kLabelsFile,           kNextSymbolsFile,
                                        kNumEditsFile, kLogProbabilitiesFile, kEditDistancesFile};

std::string RelativePath(const std::string& split, const char* file) {
  return (SplitPath(split) / file).lexically_normal().string();
}

// The bytes of a file that are those recorded in the run's config.json, or in the manifest of a
// dataset that it is evaluated on.
std::optional<std::string> ReadPinned(const RunData& data, const std::string& split,
                                      const char* file) {
  constexpr const char* kHint =
      "restore the dataset: flare generate makes the same bytes again; a run keeps to its data";
  const std::string relative = RelativePath(split, file);
  const fs::path path = data.path / relative;
  const auto expected = data.files.find(relative);
  if (expected == data.files.end()) {
    if (!fs::exists(path)) return std::nullopt;
    throw InputError(path, "is not among the files that were recorded", kHint);
  }
  if (!fs::exists(path)) throw InputError(path, "is missing, and was recorded", kHint);
  std::string bytes = ReadRegularFile(path);
  if (Sha256(bytes) != expected->second) {
    throw InputError(path, "has changed: its SHA-256 is not the one that was recorded", kHint);
  }
  return bytes;
}

}  // namespace

std::string RunData::Sha256OfAll() const {
  std::string listing;
  for (const auto& [name, hash] : files) listing += name + " " + hash + "\n";
  return Sha256(listing);
}

std::vector<std::string> RunData::Splits() const {
  std::vector<std::string> splits;
  for (const auto& [name, hash] : files) {
    const fs::path file(name);
    if (file.filename() == kMainFile && file.has_parent_path()) {
      splits.push_back(file.parent_path().filename().string());
    }
  }
  std::sort(splits.begin(), splits.end());
  if (files.contains(kMainFile)) splits.insert(splits.begin(), std::string(kTrainSplit));
  return splits;
}

void RunData::CheckSplit(const std::string& name) const {
  const auto splits = Splits();
  if (std::find(splits.begin(), splits.end(), name) != splits.end()) return;
  const auto nearest = Nearest(name, splits);
  throw InputError(path, fmt::format("has no split {}", Quoted(name)),
                   nearest ? fmt::format("did you mean {}?", *nearest) : "");
}

namespace {

void TakeFromManifest(const Manifest& manifest, RunData& data) {
  data.alphabet = Alphabet(manifest.language.alphabet);
  data.language = manifest.name;
  for (const auto& [name, file] : manifest.files) {
    for (const char* column : kColumnFiles) {
      if (fs::path(name).filename() == column) data.files[name] = file.sha256;
    }
  }
}

void TakeFromFiles(RunData& data) {
  const std::string strings = ReadRegularFile(data.path / kMainFile);
  data.alphabet = GuessAlphabet(data.path, [&](const char*) { return strings; });
  data.language = data.path.filename().string();
  data.files[kMainFile] = Sha256(strings);
  for (const std::string& split : SplitsIn(data.path)) {
    for (const char* column : kColumnFiles) {
      const std::string name = RelativePath(split, column);
      if (name == kMainFile || !fs::exists(data.path / name)) continue;
      data.files[name] = Sha256(ReadRegularFile(data.path / name));
    }
  }
}

}  // namespace

void CheckRecordable(const fs::path& path) {
  const std::string text = path.string();
  for (std::size_t i = 0; i < text.size();) {
    const auto character = Utf8CharacterAt(text, i);
    if (!character) {
      throw InputError(Quoted(text), "this name is not UTF-8, so no JSON file can hold it",
                       "rename it");
    }
    i += character->size();
  }
}

RunData IdentifyData(const fs::path& dataset) {
  RunData data;
  std::error_code failed;
  data.path = fs::canonical(dataset, failed);
  if (failed || !fs::is_directory(data.path)) {
    throw InputError(dataset, "no such directory", "expected a dataset in the FLaRe layout");
  }
  CheckRecordable(data.path);
  if (!fs::exists(data.path / kMainFile)) {
    throw InputError(dataset, fmt::format("has no {}: not a dataset", kMainFile),
                     "expected a dataset in the FLaRe layout, such as flare generate makes");
  }
  if (const auto manifest = ReadManifest(data.path)) {
    TakeFromManifest(*manifest, data);
  } else {
    TakeFromFiles(data);
  }
  const auto splits = data.Splits();
  for (const std::string& split : splits) CheckRecordable(split);
  if (std::find(splits.begin(), splits.end(), kHardest) != splits.end()) {
    throw InputError(dataset, fmt::format("has a split named {}", kHardest),
                     "a run has a file of that name beside those of its splits: rename the split");
  }
  return data;
}

Split ReadPinnedSplit(const RunData& data, const std::string& split, const ReadOptions& options) {
  return ReadSplit(data.path, split, data.alphabet, options,
                   [&](const char* file) { return ReadPinned(data, split, file); });
}

Json RunDataToJson(const RunData& data) {
  return {{"path", data.path.string()},
          {"language", data.language},
          {"alphabet", data.alphabet.names()},
          {"sha256", data.Sha256OfAll()},
          {"files", data.files}};
}

RunData RunDataFromJson(const Json& json, const std::string& file) {
  try {
    RunData data;
    data.path = json.at("path").get<std::string>();
    data.language = json.at("language");
    const auto names = json.at("alphabet").get<std::vector<std::string>>();
    if (names.empty()) throw InputError("", "the alphabet is empty");
    data.alphabet = Alphabet(names);
    data.files = json.at("files").get<std::map<std::string, std::string>>();
    return data;
  } catch (const Json::exception& error) {
    throw InputError(file, fmt::format("data: {}", error.what()));
  } catch (const InputError& error) {
    throw InputError(file, fmt::format("data: {}", error.what()));
  }
}

}  // namespace flare
