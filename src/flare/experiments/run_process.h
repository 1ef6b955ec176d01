// Executes a run of a sweep in a process of its own, so that a crash or a lack of memory costs only
// that run. If another program trains the architecture (runs/external.h), it is a child of that
// process.

#ifndef FLARE_EXPERIMENTS_RUN_PROCESS_H_
#define FLARE_EXPERIMENTS_RUN_PROCESS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/base/process.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/measure.h"

namespace flare {

// The exit code of the process, unless a signal ended it.
enum class RunProcessEnd : int {
  kFinished = 0,
  kStopped = 1,        // it was asked to
  kFailed = 2,         // recorded in failure.json
  kMachineFailed = 3,  // disk or memory; already reported
  kTaken = 4,          // another process owns the run, or took it from us
  kDamaged = 5,        // its directory does not hold a run; already reported
  kDataAway = 6,       // the data is away, or the CPU lacks the target; already reported
  kResumable = 7,      // an external program stopped by itself
};

// The external program that all runs of a variant must use.
struct ProgramOfVariant {
  std::map<std::string, std::string> files;  // External::files
  std::string run;                           // the finished run that used it
};

struct RunProcessOptions {
  StopRequest stop;
  // Called in the new process when it ends for a reason that is not recorded with the run.
  std::function<void(const std::string& line)> complain;
  bool is_known_to_lack = false;              // it was reported before that its data is away
  const ProgramOfVariant* program = nullptr;  // null: no run of the variant is finished
};

// Returns at once. If the caller dies, the run saves its state and stops.
std::unique_ptr<Process> StartRunProcess(const Sweep& sweep, const Coordinates& run,
                                         const RunProcessOptions& options, LockObserver& observer);

// Does the fault concern only the directory of this run, because another user owns it or because
// something else is there? A fault that would hit all runs of the language is the machine's.
bool ConcernsOnlyThisRun(const IoError& error, const Sweep& sweep, const Coordinates& run);

// Asks for consent to run the commands of others. A sweep may name programs (runs/external.h),
// which its workers start. If another user owns sweep.json, they start only after this user has
// agreed to each of them once. A file for each command is kept in $XDG_CONFIG_HOME/flare/commands,
// or ~/.config/flare/commands, named by the command's SHA-256.

// Notes that this user agrees to the commands of the sweep, if it is somebody else's. Returns those
// that are new, for people to read. Throws IoError, and InputError if there is no place for notes.
std::vector<std::string> AgreeToCommands(const Sweep& sweep);

// Throws InputError, with the commands, if the sweep is somebody else's and this user has not
// agreed to all of them.
void CheckAgreedToCommands(const Sweep& sweep);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_RUN_PROCESS_H_
