#include "flare/report/data_of_runs.h"

#include <algorithm>

#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/data/flare_files.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

const flare::Run* BegunRun(const Source& source, const std::string& language) {
  for (const flare::Run& run : source.runs) {
    if (run.at.language == language && run.config) return &run;
  }
  return nullptr;
}

bool IsKnownByHashAlone(const PinnedData& data) { return !data.known_sha256.empty(); }

}  // namespace

bool HasRuns(const Source& source, const std::string& language) {
  return BegunRun(source, language) != nullptr;
}

std::optional<PinnedData> DataOf(const Source& source, const std::string& language) {
  if (const flare::Run* run = BegunRun(source, language)) return run->config->data;
  const auto planned = source.sweep.data_sha256.find(language);
  if (planned == source.sweep.data_sha256.end()) return std::nullopt;
  PinnedData data;
  data.known_sha256 = planned->second;
  return data;
}

bool IsOf(const Manifest& manifest, const std::optional<PinnedData>& data) {
  if (!data) return true;
  if (IsKnownByHashAlone(*data)) {
    PinnedData of_manifest;
    of_manifest.files = ColumnsOf(manifest);
    return of_manifest.Sha256OfAll() == data->known_sha256;
  }
  return std::all_of(data->files.begin(), data->files.end(), [&](const auto& file) {
    const auto found = manifest.files.find(file.first);
    return found != manifest.files.end() && found->second.sha256 == file.second;
  });
}

std::optional<PinnedData> FilesOf(const fs::path& dataset, const std::optional<PinnedData>& data) {
  if (data && !IsKnownByHashAlone(*data)) return data;
  PinnedData there;
  for (const std::string& split : SplitsIn(dataset)) {
    for (const char* column : kColumnFiles) {
      const fs::path file = (SplitPath(split) / column).lexically_normal();
      if (!fs::exists(dataset / file)) continue;
      there.files[file.string()] = Sha256(ReadRegularFile(dataset / file));
    }
  }
  if (data && there.Sha256OfAll() != data->known_sha256) return std::nullopt;
  return there;
}

std::optional<std::string> ReadAsRecorded(const fs::path& dataset, const fs::path& relative,
                                          const std::optional<PinnedData>& data) {
  if (!fs::exists(dataset / relative)) return std::nullopt;
  std::string bytes = ReadRegularFile(dataset / relative);
  if (!data) return bytes;
  const auto recorded = data->files.find(relative.lexically_normal().string());
  const bool same = recorded != data->files.end() && recorded->second == Sha256(bytes);
  return same ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace flare::report
