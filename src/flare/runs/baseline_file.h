// OUT/baselines/LANG.json: how far trivial recognizers get on the data of a sweep.

#ifndef FLARE_RUNS_BASELINE_FILE_H_
#define FLARE_RUNS_BASELINE_FILE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "flare/runs/sweep_file.h"

namespace flare {

inline constexpr std::uint64_t kBaselinesFormat = 1;

// Accuracies on one split.
struct Baselines {
  std::optional<double> majority;
  std::optional<double> majority_per_length;
  std::optional<double> format_only;
  std::optional<double> symbol_counts;
  std::optional<double> ngrams;
};

struct BaselineFile {
  // Empty if the file is not there, is damaged, or is of other data than the sweep's.
  std::map<std::string, Baselines> splits;
  std::string damage;       // what is wrong with it
  std::string data_sha256;  // of the data that they are of; empty if the file does not say
};

// Throws nothing: baselines can be made again from the data at any time.
BaselineFile ReadBaselines(const Sweep& sweep, const std::string& language);
// Is this a file of baselines, whatever they are of?
bool AreBaselines(const std::filesystem::path& file);

}  // namespace flare

#endif  // FLARE_RUNS_BASELINE_FILE_H_
