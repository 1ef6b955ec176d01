// Makes datasets: draws every split of a configuration, writes the FLaRe layout and its manifest.

#ifndef FLARE_DATA_GENERATE_H_
#define FLARE_DATA_GENERATE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "flare/base/atomic_folder.h"
#include "flare/base/long_work.h"
#include "flare/data/dataset_config.h"
#include "flare/languages/language.h"

namespace flare {

struct DatasetRequest {
  std::string name;  // the name of the dataset's directory
  NamedLanguage language;
};

// What to do with a dataset that exists with the same recipe.
enum class ExistingData {
  kTrust,
  kCheck,   // against the hashes of its manifest; InputError names what is missing or changed
  kRepair,  // make again what is missing or changed, and leave the rest alone
};

struct GenerateOptions {
  std::filesystem::path out;
  std::uint64_t seed = 0;
  DatasetConfig config;
  ExistingData existing = ExistingData::kTrust;
  LockWait wait = {};  // how to wait while another process makes the dataset
};
struct GenerateReport {
  bool already_there = false;
  std::vector<std::string> repaired = {};  // the files of an existing dataset that were made again
  std::vector<std::string> notes = {};     // what a person should know: splits that were left out
};
// Writes out/<name>, which is there whole or not at all (base/atomic_folder.h). If it exists with a
// different recipe, InputError names the difference. Throws WaitStopped if `wait` was stopped.
GenerateReport GenerateDataset(const DatasetRequest& request, const GenerateOptions& options);

// All of them, on `jobs` threads; the bytes do not depend on how many. Whom it waits for is said.
// On a failure the datasets that have been begun are finished, no other is begun, and the first
// error is thrown.
void GenerateAll(std::span<const DatasetRequest> requests, const GenerateOptions& options,
                 std::size_t jobs, Progress& progress);

}  // namespace flare

#endif  // FLARE_DATA_GENERATE_H_
