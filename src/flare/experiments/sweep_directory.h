// The directory of a sweep:
//
//   sweep.json           the resolved grid, where the data is
//   baselines/LANG.json  how far trivial recognizers get
//   runs/LANG/ARCHITECTURE/LOSS/VALIDATION/BUDGET/TRIAL/   run directories
//   slurm/               what was submitted

#ifndef FLARE_EXPERIMENTS_SWEEP_DIRECTORY_H_
#define FLARE_EXPERIMENTS_SWEEP_DIRECTORY_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/base/progress.h"
#include "flare/experiments/grid.h"
#include "flare/training/run_directory.h"

namespace flare {

struct Sweep {
  std::filesystem::path out;
  std::filesystem::path data;  // absolute
  Grid grid;

  std::filesystem::path RunPath(const Coordinates& run) const { return out / "runs" / run.Path(); }
  std::filesystem::path DatasetPath(const std::string& language) const { return data / language; }
};

inline std::filesystem::path SweepFile(const std::filesystem::path& out) {
  return out / "sweep.json";
}

// Throws InputError if OUT is not a sweep directory.
Sweep ReadSweep(const std::filesystem::path& out);

// Makes the sweep directory, the datasets that are missing, and their baselines. An OUT that is
// there must be of the same grid and data, or, with `extend`, of one that the new grid contains.
// Throws InputError naming the difference.
struct PlanOptions {
  std::size_t jobs = 1;
  bool extend = false;
  // Called once if another process is planning this sweep, and we wait for it.
  std::function<void(const LockOwner&)> waiting = nullptr;
};
Sweep PlanSweep(const Grid& grid, const std::filesystem::path& data,
                const std::filesystem::path& out, const PlanOptions& options,
                ProgressObserver& observer);

// What a look at a run's directory tells.
enum class RunState { kLeft, kHeld, kFailed, kFinished };
RunState LookAtRun(const RunDirectory& run);
// What failure.json says, or "?".
std::string ReasonOfFailure(const RunDirectory& run);
// The same of a run whose files are at fault: what is wrong, and what to do.
std::string ReasonOf(const InputError& error);

// Which runs to look at: every given coordinate must be one of the values. Throws InputError for a
// coordinate that does not exist, or a value that the grid does not have.
class RunFilter {
 public:
  RunFilter() = default;
  // Texts like "architecture=rnn,lstm".
  RunFilter(const std::vector<std::string>& conditions, const Grid& grid);
  bool Matches(const Coordinates& run) const;

 private:
  std::map<std::string, std::vector<std::string>> conditions_;
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SWEEP_DIRECTORY_H_
