// Plans a sweep: its grid, its directory (runs/sweep_file.h), the datasets it needs, and their
// baselines.

#ifndef FLARE_EXPERIMENTS_PLAN_H_
#define FLARE_EXPERIMENTS_PLAN_H_

#include <cstddef>
#include <filesystem>
#include <string>

#include "flare/base/lock_file.h"
#include "flare/base/long_work.h"
#include "flare/nn/target.h"
#include "flare/runs/grid.h"
#include "flare/runs/sweep_file.h"

namespace flare {

// Returns a grid that is part of the program (runs/grid.h). Throws InputError, which lists all
// names, if there is none of this name.
Grid PresetGrid(const std::string& name);

struct PlanOptions {
  std::size_t jobs = 1;
  bool extend = false;
  bool repair = false;  // restore what is missing or has changed in generated datasets
  // If the sweep was planned before, a language whose data has changed is only reported.
  bool may_wait_for_data = false;
  LockWait wait = {};  // how to wait for a process that plans this sweep or makes its data
  // The target of a new sweep whose grid names none. All runs of the sweep keep it, on every
  // machine.
  std::string target = DefaultTarget();
};

// Thrown if `wait` was stopped.
struct PlanningStopped {};

// Creates a directory, and removes it again if it was new and stays empty.
class NewDirectory {
 public:
  explicit NewDirectory(std::filesystem::path path);
  ~NewDirectory();
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

 private:
  const std::filesystem::path path_;
  const bool is_new_;
};

// Checks that the names of a grid mean something: its languages, the settings of its datasets, the
// sizes of its models. Throws InputError with the grid's file.
void CheckPlan(const Sweep& sweep);

// Makes the sweep directory, the datasets that are missing, and their baselines. An existing OUT
// must be of the same grid and data, or, with `extend`, of a grid that the new one contains. Throws
// InputError naming the difference.
Sweep PlanSweep(const Grid& grid, const std::filesystem::path& data,
                const std::filesystem::path& out, const PlanOptions& options,
                ProgressObserver& observer);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_PLAN_H_
