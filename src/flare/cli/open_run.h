// Opens a run for writing, as train, extract and score do.

#ifndef FLARE_CLI_OPEN_RUN_H_
#define FLARE_CLI_OPEN_RUN_H_

#include <limits>
#include <memory>
#include <string>

#include "flare/base/stop_signals.h"
#include "flare/runs/run_directory.h"

namespace flare {

// Waits until it is clear whether an owner elsewhere is alive. Null, and told why, if it is, or if
// we are to stop: by a signal, or in `time_limit` seconds. Throws InputError, IoError.
std::unique_ptr<OwnedRun> OpenRun(const std::string& path, const StopSignals& signals,
                                  double time_limit = std::numeric_limits<double>::infinity());

}  // namespace flare

#endif  // FLARE_CLI_OPEN_RUN_H_
