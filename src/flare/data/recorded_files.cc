#include "flare/data/recorded_files.h"

#include <algorithm>
#include <optional>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
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
    throw Unavailable("", error.what(), hint);  // it went after that
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

}  // namespace flare
