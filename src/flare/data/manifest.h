// manifest.json says how a dataset was made and has the hashes of its files. That is enough to make
// the dataset again and to check it: a file is refused unless its hash is the recorded one.

#ifndef FLARE_DATA_MANIFEST_H_
#define FLARE_DATA_MANIFEST_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/data/dataset_config.h"
#include "flare/data/flare_files.h"
#include "flare/languages/source.h"

namespace flare {

// The SHA-256 of each file of the FLaRe layout, by its path relative to the dataset.
using FileHashes = std::map<std::string, std::string>;

std::string RelativePath(const std::string& split, const char* file);

// The splits whose strings were recorded: train first, then the others by name.
std::vector<std::string> RecordedSplits(const FileHashes& recorded);

// Returns a check for ReadSplit, which then throws Unavailable if a recorded file is missing, and
// InputError with this hint if a file differs from what was recorded or was not recorded. Keeps
// references to its arguments.
SplitFiles RecordedFiles(const std::filesystem::path& dataset, const std::string& split,
                         const FileHashes& recorded, const char* hint);

// Moving a Json throws nothing, whatever clang-tidy finds in the library.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct Manifest {
  std::string program;  // "flare 0.1.0"
  std::string name;     // the dataset's name
  SavedLanguage language;
  std::uint64_t seed = 0;
  std::string preset;
  Json settings;                              // as SettingsOf lists them
  std::set<std::string> added_defaults = {};  // only in a wanted manifest: see AddedDefaults
  struct OmittedSplit {
    std::string name, reason;
  };
  std::vector<OmittedSplit> omitted;
  struct File {
    std::uint64_t bytes = 0;
    std::string sha256;
  };
  std::map<std::string, File> files;  // by path relative to the dataset
};

// The columns of the FLaRe layout among the files, with their hashes: what a run pins.
std::map<std::string, std::string> ColumnsOf(const Manifest& manifest);

// Returns a manifest that has the recipe, but no files.
Manifest MakeManifest(const NamedLanguage& language, const std::string& name, std::uint64_t seed,
                      const DatasetConfig& config);

Json ManifestToJson(const Manifest& manifest);
// Returns the text of manifest.json.
std::string FormatManifest(const Manifest& manifest);
// Throws InputError if the file exists and is malformed; nothing if it does not exist.
std::optional<Manifest> ReadManifest(const std::filesystem::path& dataset);

// The first setting in which two recipes differ, as "seed is 0, not 1"; empty if in none. The
// program version does not count: the same recipe gives the same bytes. Nor do YoungerSettings.
std::string RecipeDifference(const Manifest& there, const Manifest& wanted);

// Returns the settings of a wanted recipe that nobody gave and that an older manifest lacks. The
// older dataset keeps the values from before the settings existed.
std::vector<std::string> YoungerSettings(const Manifest& there, const Manifest& wanted);

// Returns the configuration that the settings describe. Throws InputError.
DatasetConfig ConfigOf(const Manifest& manifest, const std::string& where);

}  // namespace flare

#endif  // FLARE_DATA_MANIFEST_H_
