#include "flare/cli/open_run.h"

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/lock_file.h"
#include "flare/cli/tell.h"

namespace flare {

std::unique_ptr<OwnedRun> OpenRun(const std::string& path, const StopSignals& signals,
                                  double time_limit) {
  const Stopwatch watch;
  LockObserver observer;
  LockOwner owner;
  std::string stopped;
  const auto attempt = [&](LockState& state) {
    return OwnedRun::TryOpen(path, observer, &owner, &state);
  };
  const auto stop = [&] {
    stopped = watch.Seconds() >= time_limit ? "time limit" : signals.Received();
    return !stopped.empty();
  };
  const auto watching = [&] {
    Tell("flare: {}: locked by {}; watching for up to {} s to see whether it is alive\n", path,
         owner.Describe(), LockObserver::kPatience.count());
  };
  auto run = WhileUndecided(attempt, stop, watching);
  if (run != nullptr) return run;
  if (stopped.empty()) {
    Tell("flare: {}: {} is working on this run\n", path, owner.Describe());
  } else {
    Tell("flare: {}: stopped ({}) while watching\n", path, stopped);
  }
  return nullptr;
}

void CheckIsNotOfARun(const std::filesystem::path& folder) {
  auto path = std::filesystem::weakly_canonical(folder);
  for (; path.has_relative_path(); path = path.parent_path()) {
    if (!RunDirectory(path).is_begun()) continue;
    throw InputError(folder, "belongs to a run", "name a folder outside of it");
  }
}

}  // namespace flare
