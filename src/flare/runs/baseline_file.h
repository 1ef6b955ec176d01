// OUT/baselines/LANG.json: how far trivial recognizers get on the data of a sweep.

#ifndef FLARE_RUNS_BASELINE_FILE_H_
#define FLARE_RUNS_BASELINE_FILE_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace flare {

// Accuracies on one split.
struct Baselines {
  std::optional<double> majority;
  std::optional<double> majority_per_length;
  std::optional<double> format_only;
  std::optional<double> symbol_counts;
  std::optional<double> ngrams;
};

struct BaselineFile {
  std::map<std::string, Baselines> splits;  // empty if the file is not there, or is damaged
  std::string damage;                       // what is wrong with it
};

// Throws nothing: baselines can be made again from the data at any time.
BaselineFile ReadBaselines(const std::filesystem::path& file);

}  // namespace flare

#endif  // FLARE_RUNS_BASELINE_FILE_H_
