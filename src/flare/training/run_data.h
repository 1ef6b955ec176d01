// The dataset of a run, pinned: a run never trains or evaluates on files other than those it began
// with.

#ifndef FLARE_TRAINING_RUN_DATA_H_
#define FLARE_TRAINING_RUN_DATA_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/base/json.h"
#include "flare/data/flare_reader.h"
#include "flare/data/split.h"

namespace flare {

struct RunData {
  std::filesystem::path path;  // absolute
  std::string language;        // by the manifest, else the directory's name
  Alphabet alphabet{std::vector<std::string>{}};
  // Every file of the FLaRe layout and its SHA-256, by path relative to the dataset.
  std::map<std::string, std::string> files;

  // Of all files' names and hashes: what two copies of a dataset have in common.
  std::string Sha256OfAll() const;
  std::vector<std::string> Splits() const;
  // Throws InputError, with the nearest name, if there is no such split.
  void CheckSplit(const std::string& name) const;
};

// A run keeps a file of this name beside those of its splits (eval/hardest.json).
inline constexpr const char* kHardest = "hardest";

// Runs and sweeps record where their data is. Throws InputError if that cannot be written down.
void CheckRecordable(const std::filesystem::path& path);

// Takes the hashes of the manifest, which are checked when a file is read; without a manifest, the
// files are hashed now. Throws InputError if there is no dataset, or it has a split named kHardest.
RunData IdentifyData(const std::filesystem::path& dataset);

// Throws InputError if one of the files is missing or no longer what it was: a file is read once,
// and the bytes whose hash is right are the ones that are parsed.
Split ReadPinnedSplit(const RunData& data, const std::string& split, const ReadOptions& options);

Json RunDataToJson(const RunData& data);
RunData RunDataFromJson(const Json& json, const std::string& file);

}  // namespace flare

#endif  // FLARE_TRAINING_RUN_DATA_H_
