// Opens runs for the commands that write into them (train, extract, score), and protects runs from
// all others.

#ifndef FLARE_CLI_OPEN_RUN_H_
#define FLARE_CLI_OPEN_RUN_H_

#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "flare/base/long_work.h"
#include "flare/runs/run_directory.h"

namespace flare {

// Waits until it is clear whether an owner elsewhere is alive. If it is, or if a signal or
// `time_limit` seconds end the wait, prints why and returns null. Throws InputError, IoError.
std::unique_ptr<OwnedRun> OpenRun(const std::string& path, const StopSignals& signals,
                                  double time_limit = std::numeric_limits<double>::infinity());

// Throws InputError if the folder is a run's or within one, since a finished run's files must stay
// as they are.
void CheckIsNotOfARun(const std::filesystem::path& folder);

}  // namespace flare

#endif  // FLARE_CLI_OPEN_RUN_H_
