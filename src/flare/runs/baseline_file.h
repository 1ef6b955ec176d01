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
  std::optional<double> state_merging = {};  // of no file before version 0.3
};

struct BaselineFile {
  // Empty if the file does not exist, is damaged, or has other data than the sweep.
  std::map<std::string, Baselines> splits;
  std::string damage;       // what is wrong with it
  std::string data_sha256;  // of the data that was measured; empty if the file does not say
};

// Throws nothing, since baselines can be measured again at any time.
BaselineFile ReadBaselines(const Sweep& sweep, const std::string& language);
// Does the file hold baselines, of any data?
bool AreBaselines(const std::filesystem::path& file);

}  // namespace flare

#endif  // FLARE_RUNS_BASELINE_FILE_H_
