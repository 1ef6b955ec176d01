// config.json: everything that decides the result of a run, its settings and its data.

#ifndef FLARE_RUNS_RUN_CONFIG_H_
#define FLARE_RUNS_RUN_CONFIG_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/runs/external.h"
#include "flare/runs/run_settings.h"

namespace flare {

// A dataset, pinned: a run never trains or evaluates on files other than those it began with.
struct PinnedData {
  std::filesystem::path path;  // absolute
  std::string language;        // by the manifest, else the directory's name
  std::vector<std::string> alphabet;
  // Every file of the FLaRe layout and its SHA-256, by path relative to the dataset.
  std::map<std::string, std::string> files;
  // Sha256OfAll() of data that is known by this hash alone, as in a record; else empty.
  std::string known_sha256 = {};

  // Hashes the names and hashes of all files: two copies of a dataset have the same.
  std::string Sha256OfAll() const;
  // The same data without its path and files.
  PinnedData ByHash() const { return {{}, language, alphabet, {}, Sha256OfAll()}; }
};

struct RunConfig {
  RunSettings settings;
  PinnedData data;
  std::optional<External> external = {};  // if another program trains it
};

Json ConfigToJson(const RunConfig& config);
// Throws InputError.
RunConfig ConfigFromJson(const JsonValue& json);

// "learning_rate is 0.001, not 0.01" for the first thing in which two runs differ; empty if in
// none. Where the data is does not count, what it is does.
std::string ConfigDifference(const RunConfig& there, const RunConfig& wanted);

}  // namespace flare

#endif  // FLARE_RUNS_RUN_CONFIG_H_
