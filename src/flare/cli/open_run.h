// Runs that a command writes into, as train, extract and score do, and those it must not.

#ifndef FLARE_CLI_OPEN_RUN_H_
#define FLARE_CLI_OPEN_RUN_H_

#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "flare/base/interruption.h"
#include "flare/runs/run_directory.h"

namespace flare {

// Waits until it is clear whether an owner elsewhere is alive. Null, after saying why, if it is, or
// if we are to stop: by a signal, or after `time_limit` seconds. Throws InputError, IoError.
std::unique_ptr<OwnedRun> OpenRun(const std::string& path, const StopSignals& signals,
                                  double time_limit = std::numeric_limits<double>::infinity());

// For what users have written elsewhere, and for runs. Throws InputError if the folder is a run's
// or within one: what is there is what the run was finished with.
void CheckIsNotOfARun(const std::filesystem::path& folder);

}  // namespace flare

#endif  // FLARE_CLI_OPEN_RUN_H_
