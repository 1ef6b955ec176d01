// A sweep on a Slurm cluster: one job array whose tasks are workers, `flare sweep work OUT`.

#ifndef FLARE_EXPERIMENTS_SLURM_H_
#define FLARE_EXPERIMENTS_SLURM_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "flare/runs/sweep_file.h"

namespace flare {

struct SlurmOptions {
  std::size_t tasks = 16;
  std::string time;       // per task, as Slurm writes it; empty: the partition's default
  std::string partition;  // empty: the cluster's default
  std::string memory = "500M";
  std::vector<std::string> sbatch_arguments;
};

// The batch script of a task. Slurm sends SIGUSR1 some time before the limit; the worker then saves
// its run and exits 1, and the task asks to be queued again.
std::string BatchScript(const std::filesystem::path& program, const std::filesystem::path& out,
                        const SlurmOptions& options);

// Returns the path of the batch script of a sweep.
std::filesystem::path ScriptPath(const std::filesystem::path& out);

// Returns the command that submits a script.
std::vector<std::string> SubmitCommand(const std::filesystem::path& script,
                                       const SlurmOptions& options);

// Writes the script, submits it, and notes the job in OUT/slurm. Returns the job's id. Throws
// InputError with what sbatch said.
std::string SubmitWorkers(const Sweep& sweep, const std::filesystem::path& program,
                          const SlurmOptions& options);

struct SlurmTask {
  std::string job;
  std::string task;   // index in the array
  std::string state;  // PENDING, RUNNING, COMPLETED, ...
  std::string reason;
};
struct SlurmJobs {
  std::vector<std::string> submitted;  // ids
  std::vector<SlurmTask> tasks;        // those that Slurm still knows
  bool reachable = false;              // false: there is no squeue here, or it failed
  std::string unreadable;              // why we do not know what was submitted
};
// Asks Slurm about the jobs that were submitted for this sweep.
SlurmJobs JobsOf(const std::filesystem::path& out);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_SLURM_H_
