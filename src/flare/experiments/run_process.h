// One run of a sweep in a process of its own, so that a crash, or a machine that kills for want of
// memory, costs that run only. A run whose architecture is another program's (runs/external.h) has
// that program as a child of its process.

#ifndef FLARE_EXPERIMENTS_RUN_PROCESS_H_
#define FLARE_EXPERIMENTS_RUN_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/evaluator.h"

namespace flare {

// The exit code of the process.
enum class RunProcessEnd : int {
  kFinished = 0,
  kStopped = 1,        // it was asked to
  kFailed = 2,         // recorded in failure.json
  kMachineFailed = 3,  // disk, memory: complained of
  kTaken = 4,          // somebody else has the run, or took it from us
  kDamaged = 5,        // its directory is not a run's: complained of
  kDataAway = 6,       // or the CPU lacks the target: complained of
  kResumable = 7,      // an external program stopped by itself
};

// The program of another architecture, as the runs of a variant are to have it.
struct ProgramOfVariant {
  std::map<std::string, std::string> files;  // External::files
  std::string run;                           // the finished run that had them
};

struct RunProcessOptions {
  StopRequest stop;
  // Called in the new process when it ends for a reason that is not recorded with the run.
  std::function<void(const std::string& line)> complain;
  bool is_known_to_lack = false;              // that its data is away has been complained of
  const ProgramOfVariant* program = nullptr;  // null: no run of the variant is finished
};

// Returns at once. If the caller dies, the run saves its state and stops.
pid_t StartRunProcess(const Sweep& sweep, const Coordinates& run, const RunProcessOptions& options,
                      LockObserver& observer);

// How it ended, by waitpid's status; nothing if a signal ended it.
std::optional<RunProcessEnd> EndOfRunProcess(int status);

// Is the fault about the directory of this run, which somebody else owns or where something else
// is? Then it is the matter of the run alone, as what is in it is. Where nothing of its language
// can be made, it is the machine's.
bool IsOfRunAlone(const IoError& error, const Sweep& sweep, const Coordinates& run);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_RUN_PROCESS_H_
