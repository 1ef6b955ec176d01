#include "flare/base/wait_for_lock.h"

#include <chrono>
#include <thread>

#include "flare/base/clock.h"

namespace flare {

std::unique_ptr<LockFile> WaitForLock(const std::string& path, const LockWait& wait) {
  LockObserver observer;
  LockOwner owner;
  const Stopwatch watch;
  for (bool told = false;;) {
    auto lock = LockFile::TryAcquire(path, observer, &owner);
    if (lock != nullptr) return lock;
    if (wait.stop && wait.stop()) return nullptr;
    if (!told && watch.Seconds() > 1) {
      if (wait.waiting) wait.waiting(owner);
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace flare
