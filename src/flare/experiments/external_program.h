// Runs the program of an external architecture (runs/external.h) on a run that we hold.

#ifndef FLARE_EXPERIMENTS_EXTERNAL_PROGRAM_H_
#define FLARE_EXPERIMENTS_EXTERNAL_PROGRAM_H_

#include "flare/runs/run_config.h"
#include "flare/runs/run_directory.h"
#include "flare/training/run.h"

namespace flare {

// The exit code by which a program says that it can continue the run where it stopped.
inline constexpr int kExitResumable = 75;

enum class ExternalEnd {
  kFinished,   // and scored
  kStopped,    // because we were asked to
  kResumable,  // by itself
  kFailed,     // recorded in failure.json
};

// Begins the run if need be, starts the program with the run's directory as its last argument, and
// scores what it leaves. Throws InputError, IoError, RunLost.
ExternalEnd ExecuteExternal(const OwnedRun& run, const RunConfig& config,
                            const RunOptions& options);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_EXTERNAL_PROGRAM_H_
