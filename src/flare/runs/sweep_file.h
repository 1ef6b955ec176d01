// sweep.json describes a sweep.
//
//   OUT/sweep.json           the resolved grid, where the data is and what it is
//   OUT/baselines/LANG.json  how far trivial recognizers get
//   OUT/runs/LANG/VARIANT/LOSS/VALIDATION/BUDGET/TRIAL/   run directories
//   OUT/slurm/               what was submitted

#ifndef FLARE_RUNS_SWEEP_FILE_H_
#define FLARE_RUNS_SWEEP_FILE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "flare/base/json.h"
#include "flare/runs/grid.h"

namespace flare {

struct Sweep {
  std::filesystem::path out;
  std::filesystem::path data;  // absolute
  Grid grid;
  // The PinnedData::Sha256OfAll of each language's dataset when the sweep was planned.
  std::map<std::string, std::string> data_sha256 = {};
  // The languages whose dataset followed the grid's recipe then, because it was made by it or
  // checked against it. Older sweeps lack this list.
  std::set<std::string> data_of_recipe = {};
  // Are its runs lines of records (records.h) instead of directories?
  bool is_records = false;

  std::filesystem::path RunPath(const Coordinates& run) const { return out / "runs" / run.Path(); }
  std::filesystem::path DatasetPath(const std::string& language) const;
  std::filesystem::path BaselinesPath(const std::string& language) const {
    return out / "baselines" / (language + ".json");
  }
};

inline std::filesystem::path SweepFile(const std::filesystem::path& out) {
  return out / "sweep.json";
}

Json SweepToJson(const Sweep& sweep);
// The text of its file.
std::string SweepText(const Sweep& sweep);
// Throws InputError if OUT is not a sweep directory.
Sweep ReadSweep(const std::filesystem::path& out);

// OUT/baselines/LANG.json: how far trivial recognizers get on the data of a sweep.

inline constexpr std::uint64_t kBaselinesFormat = 1;

// Accuracies on one split.
struct Baselines {
  std::optional<double> majority;
  std::optional<double> majority_per_length;
  std::optional<double> format_only;
  std::optional<double> symbol_counts;
  std::optional<double> ngrams;
  std::optional<double> state_merging = {};  // files before version 0.3 lack it
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

#endif  // FLARE_RUNS_SWEEP_FILE_H_
