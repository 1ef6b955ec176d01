// Waits for a lock that others hold for a moment.

#ifndef FLARE_BASE_WAIT_FOR_LOCK_H_
#define FLARE_BASE_WAIT_FOR_LOCK_H_

#include <functional>
#include <memory>
#include <string>

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

}  // namespace flare

#endif  // FLARE_BASE_WAIT_FOR_LOCK_H_
