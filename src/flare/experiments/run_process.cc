#include "flare/experiments/run_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>

#include "flare/base/check.h"
#include "flare/base/error.h"
#include "flare/base/unavailable.h"
#include "flare/data/flare_files.h"
#include "flare/experiments/external_program.h"
#include "flare/runs/run_directory.h"
#include "flare/training/external_run.h"
#include "flare/training/known_names.h"
#include "flare/training/make_settings.h"
#include "flare/training/run.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// Part of it may be missing, or it was changed: not the fault of the run, which waits for it.
RunData PlannedData(const Sweep& sweep, const Coordinates& run) {
  constexpr const char* kRestore =
      "restore the data: flare sweep plan --repair makes again what it made";
  const fs::path dataset = sweep.DatasetPath(run.language);
  const auto planned = sweep.data_sha256.find(run.language);
  if (planned == sweep.data_sha256.end()) return IdentifyData(dataset);
  RunData data;
  try {
    data = IdentifyData(dataset);
  } catch (const InputError& error) {
    throw Unavailable("", error.what(), kRestore);
  }
  if (planned->second != data.pinned.Sha256OfAll()) {
    throw Unavailable(data.pinned.path, "is not the data that the sweep was planned with",
                      kRestore);
  }
  return data;
}

RunPlan PlanOf(const Sweep& sweep, const Coordinates& run) {
  RunData data = PlannedData(sweep, run);
  RunSettings settings = MakeSettings(sweep.grid.SettingsOf(run), data.alphabet.size());
  return {std::move(settings), std::move(data)};
}

bool HasData(const Sweep& sweep, const std::string& language) {
  std::error_code unseen;
  return fs::exists(sweep.DatasetPath(language) / kMainFile, unseen);
}

// A run that another program trains.
RunProcessEnd ExecuteExternally(const OwnedRun& owned, const External& external, const Sweep& sweep,
                                const Coordinates& run, const RunOptions& how) {
  const RunConfig config =
      MakeExternalConfig(external, sweep.grid.SettingsOf(run), PlannedData(sweep, run));
  switch (ExecuteExternal(owned, config, how)) {
    case ExternalEnd::kFinished:
      return RunProcessEnd::kFinished;
    case ExternalEnd::kStopped:
      return RunProcessEnd::kStopped;
    case ExternalEnd::kResumable:
      return RunProcessEnd::kResumable;
    case ExternalEnd::kFailed:
      break;
  }
  if (HasData(sweep, run.language)) return RunProcessEnd::kFailed;
  // A program cannot continue without its data either, whatever it says about it.
  owned.RemoveFailure();
  throw Unavailable(sweep.DatasetPath(run.language), "went while the run was at it");
}

RunProcessEnd ExecuteClaimed(const OwnedRun& owned, const Sweep& sweep, const Coordinates& run,
                             const RunOptions& how) {
  const RunDirectory& directory = owned.directory();
  if (directory.is_finished()) return RunProcessEnd::kFinished;
  try {
    if (const External* external = FindExternal(sweep.grid.externals, run.architecture())) {
      return ExecuteExternally(owned, *external, sweep, run, how);
    }
    const RunPlan plan = PlanOf(sweep, run);
    if (directory.is_begun()) CheckSameRun(directory, plan.config(), KnownNames());
    return ExecuteRun(owned, plan, how).finished ? RunProcessEnd::kFinished
                                                 : RunProcessEnd::kStopped;
  } catch (const Unavailable&) {
    throw;
  } catch (const InputError& error) {
    // Data that disappears while it is read looks wrong in many ways.
    if (!HasData(sweep, run.language)) throw Unavailable("", error.what());
    owned.RecordFailure(error.what());
    return RunProcessEnd::kFailed;
  }
}

// Is it about a file of the run's data? Data that cannot be read is like data that is away.
bool IsOfData(const fs::path& path, const Sweep& sweep, const Coordinates& run) {
  const fs::path relative = path.lexically_relative(sweep.DatasetPath(run.language));
  return !relative.empty() && *relative.begin() != "..";
}

// In the process of the run.
RunProcessEnd ExecuteInChild(const Sweep& sweep, const Coordinates& run,
                             const RunProcessOptions& options, LockObserver& observer) {
  const auto tell = [&](const std::string& line) {
    if (options.complain) options.complain(line);
  };
  const auto wait = [&] {
    if (!options.is_known_to_lack) tell(CaughtFault() + "; waiting for it");
    return RunProcessEnd::kUnavailable;
  };
  try {
    // Else a second sweep would grow where the first was.
    if (!fs::exists(SweepFile(sweep.out))) {
      throw IoError(SweepFile(sweep.out), "find", ENOENT);
    }
    const auto owned = OwnedRun::TryOpen(sweep.RunPath(run), observer);
    if (owned == nullptr) return RunProcessEnd::kNotClaimed;
    RunOptions how;
    how.stop = options.stop;
    return ExecuteClaimed(*owned, sweep, run, how);
  } catch (const RunLost&) {
    return RunProcessEnd::kLost;
  } catch (const Unavailable&) {
    return wait();
  } catch (const InputError& error) {
    // Nothing is written there.
    tell(error.what());
    return RunProcessEnd::kNotARun;
  } catch (const IoError& error) {
    if (IsOfData(error.path(), sweep, run)) return wait();
    tell(error.what());
    return IsOfRunAlone(error, sweep, run) ? RunProcessEnd::kNotARun
                                           : RunProcessEnd::kMachineFailed;
  } catch (const CheckError& error) {
    // Whoever waits for this process records it as the crash that it is.
    tell(error.what());
    std::abort();
  } catch (const std::bad_alloc&) {
    tell(run.Path() + ": out of memory");
  } catch (const fs::filesystem_error& error) {
    if (IsOfData(error.path1(), sweep, run)) return wait();
    tell(CaughtFault());
  } catch (const std::exception& error) {
    tell(error.what());
  }
  return RunProcessEnd::kMachineFailed;
}

}  // namespace

bool IsOfRunAlone(const IoError& error, const Sweep& sweep, const Coordinates& run) {
  const std::string directory = sweep.RunPath(run).string(), path = error.path();
  if (!path.starts_with(directory) && !directory.starts_with(path)) return false;
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(sweep.out / "runs" / run.language, unknown))) return false;
  switch (error.error_number()) {
    case EACCES:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENOENT:
    case EEXIST:
      return true;
    default:
      return false;
  }
}

pid_t StartRunProcess(const Sweep& sweep, const Coordinates& run, const RunProcessOptions& options,
                      LockObserver& observer) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw IoError("a process for a run", "start", errno);
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  RunProcessEnd end = RunProcessEnd::kStopped;
  if (::getppid() == parent) end = ExecuteInChild(sweep, run, options, observer);
  std::fflush(nullptr);
  ::_exit(static_cast<int>(end));
}

std::optional<RunProcessEnd> EndOfRunProcess(int status) {
  if (!WIFEXITED(status)) return std::nullopt;
  return static_cast<RunProcessEnd>(WEXITSTATUS(status));
}

}  // namespace flare
