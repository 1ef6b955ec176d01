// The subcommands of flare sweep, in cmd_sweep.cc and sweep_run.cc: each declares its options and
// returns what to run.

#ifndef FLARE_CLI_CMD_SWEEP_H_
#define FLARE_CLI_CMD_SWEEP_H_

#include <functional>
#include <string>
#include <vector>

#include "flare/cli/command.h"
#include "flare/runs/sweep_file.h"

namespace flare {

std::function<int()> SweepPlan(CLI::App& app);
std::function<int()> SweepRun(CLI::App& app);
std::function<int()> SweepWork(CLI::App& app);
std::function<int()> SweepSubmit(CLI::App& app);
std::function<int()> SweepStatusCommand(CLI::App& app);
std::function<int()> SweepList(CLI::App& app);
std::function<int()> SweepCollect(CLI::App& app);
std::function<int()> SweepExtract(CLI::App& app);

// --only, which most of them have.
void AddOnly(CLI::App& app, std::vector<std::string>& only);
// --yes, of those that start the commands of a sweep, which may be somebody else's; and what it
// means (experiments/run_process.h). Throws InputError if they are not agreed to.
void AddYes(CLI::App& app, bool& yes);
void CheckCommands(const Sweep& sweep, bool yes);

}  // namespace flare

#endif  // FLARE_CLI_CMD_SWEEP_H_
