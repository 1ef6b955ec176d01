// Waits for a lock that others hold for a moment, or may no longer hold.

#ifndef FLARE_BASE_WAIT_FOR_LOCK_H_
#define FLARE_BASE_WAIT_FOR_LOCK_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "flare/base/lock_file.h"

namespace flare {

struct LockWait {
  // True to give up.
  std::function<bool()> stop = nullptr;
  // Called once if it takes longer than a second.
  std::function<void(const LockOwner&)> waiting = nullptr;
};

// Null if it was stopped. Throws IoError.
std::unique_ptr<LockFile> WaitForLock(const std::string& path, const LockWait& wait = {});

// Calls attempt(state), which tries to take a lock and sets the state of the one that is in the
// way, until it returns something other than null or that lock's owner is known to be alive: for an
// owner elsewhere, its heartbeat shows that after a while. `watching` is called once if that is
// needed, and `stop` gives up.
template <class Attempt>
auto WhileUndecided(Attempt attempt, const std::function<bool()>& stop = nullptr,
                    const std::function<void()>& watching = nullptr) {
  for (bool told = false;; told = true) {
    LockState state{};
    auto held = attempt(state);
    if (held != nullptr || state != LockState::kUndecided) return held;
    if (!told && watching) watching();
    if (stop && stop()) return held;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace flare

#endif  // FLARE_BASE_WAIT_FOR_LOCK_H_
