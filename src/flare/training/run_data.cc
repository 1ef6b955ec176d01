#include "flare/training/run_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/base/unavailable.h"
#include "flare/data/dataset_config.h"
#include "flare/data/dataset_language.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/languages/envelope.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

std::string RelativePath(const std::string& split, const char* file) {
  return (SplitPath(split) / file).lexically_normal().string();
}

// The bytes of a file that are those recorded in the run's config.json, or in the manifest of a
// dataset that it is evaluated on.
std::optional<std::string> ReadPinned(const RunData& data, const std::string& split,
                                      const char* file) {
  constexpr const char* kHint =
      "a run uses only the data that it began with: flare generate --repair restores what it made";
  const std::string relative = RelativePath(split, file);
  const fs::path path = data.pinned.path / relative;
  const auto expected = data.pinned.files.find(relative);
  if (expected == data.pinned.files.end()) {
    if (!fs::exists(path)) return std::nullopt;
    throw InputError(path, "is not among the recorded files", kHint);
  }
  if (!fs::exists(path)) throw Unavailable(path, "is missing, although it was recorded", kHint);
  std::string bytes;
  try {
    bytes = ReadRegularFile(path);
  } catch (const InputError& error) {
    throw Unavailable("", error.what(), kHint);  // it was removed after that
  }
  if (Sha256(bytes) != expected->second) {
    throw InputError(path, "has changed: its SHA-256 is not the one that was recorded", kHint);
  }
  return bytes;
}

}  // namespace

std::vector<std::string> RunData::Splits() const {
  std::vector<std::string> splits;
  for (const auto& [name, hash] : pinned.files) {
    const fs::path file(name);
    if (file.filename() == kMainFile && file.has_parent_path()) {
      splits.push_back(file.parent_path().filename().string());
    }
  }
  std::sort(splits.begin(), splits.end());
  if (pinned.files.contains(kMainFile)) splits.insert(splits.begin(), std::string(kTrainSplit));
  return splits;
}

void RunData::CheckSplit(const std::string& name) const {
  const auto splits = Splits();
  if (std::find(splits.begin(), splits.end(), name) != splits.end()) return;
  throw InputError(pinned.path, fmt::format("has no split {}", Quoted(name)),
                   fmt::format("it has {}", fmt::join(splits, ", ")));
}

namespace {

void TakeFromManifest(const Manifest& manifest, RunData& data) {
  data.alphabet = Alphabet(manifest.language.alphabet);
  data.pinned.language = manifest.name;
  data.pinned.files = ColumnsOf(manifest);
}

void TakeFromFiles(RunData& data) {
  const std::string strings = ReadRegularFile(data.pinned.path / kMainFile);
  data.alphabet = GuessAlphabet(data.pinned.path, [&](const char*) { return strings; });
  data.pinned.language = data.pinned.path.filename().string();
  data.pinned.files[kMainFile] = Sha256(strings);
  for (const std::string& split : SplitsIn(data.pinned.path)) {
    for (const char* column : kColumnFiles) {
      const std::string name = RelativePath(split, column);
      if (name == kMainFile || !fs::exists(data.pinned.path / name)) continue;
      data.pinned.files[name] = Sha256(ReadRegularFile(data.pinned.path / name));
    }
  }
}

}  // namespace

RunData IdentifyData(const fs::path& dataset) {
  RunData data;
  std::error_code failed;
  data.pinned.path = fs::canonical(dataset, failed);
  if (failed || !fs::is_directory(data.pinned.path)) {
    throw Unavailable(dataset, "no such directory", "expected a dataset in the FLaRe layout");
  }
  CheckRecordable(data.pinned.path);
  if (!fs::exists(data.pinned.path / kMainFile)) {
    throw Unavailable(dataset, fmt::format("has no {}: not a dataset", kMainFile),
                      "expected a dataset in the FLaRe layout, such as flare generate makes");
  }
  if (const auto manifest = ReadManifest(data.pinned.path)) {
    TakeFromManifest(*manifest, data);
  } else {
    TakeFromFiles(data);
  }
  data.pinned.alphabet = data.alphabet.names();
  const auto splits = data.Splits();
  for (const std::string& split : splits) CheckRecordable(split);
  if (std::find(splits.begin(), splits.end(), kHardest) != splits.end()) {
    throw InputError(dataset, fmt::format("has a split named {}", kHardest),
                     "a run has a file of that name next to those of its splits: rename the split");
  }
  return data;
}

Split ReadPinnedSplit(const RunData& data, const std::string& split, const ReadOptions& options) {
  return ReadSplit(data.pinned.path, split, data.alphabet, options,
                   [&](const char* file) { return ReadPinned(data, split, file); });
}

std::optional<Matcher> FormatOf(const RunData& data) {
  const fs::path& dataset = data.pinned.path;
  try {
    if (!fs::is_directory(dataset) || !HasKnownLanguage(dataset)) return std::nullopt;
    const auto envelope = EnvelopeAutomaton(FindDatasetLanguage(dataset).language);
    if (!envelope || !(envelope->alphabet() == data.alphabet)) return std::nullopt;
    return Matcher(*envelope);
  } catch (const InputError&) {
    return std::nullopt;  // runs need strings and labels, whatever their language
  }
}

RunData DataOf(const PinnedData& pinned, const std::string& where) {
  try {
    return {pinned, Alphabet(pinned.alphabet)};
  } catch (const InputError& error) {
    throw InputError(where, fmt::format("data: {}", error.what()));
  }
}

}  // namespace flare
