// A lock that is a file, for processes on one machine or on several that share a file system.
//
// The file says who the owner is and carries a heartbeat. Whether an owner is alive:
//   - on the same machine (host, boot id and namespaces agree), the kernel knows: its pid must
//     exist, with the start time that the lock names;
//   - elsewhere, or where the kernel does not let us look, its heartbeat must have moved within
//     120 s of the observer's own clock. Clocks of different machines are never compared.
//
// A file that a crash may have left of a lock (empty, zeros, or the beginning of a line of ours) is
// watched like the lock of an owner elsewhere. Any other contents belong to somebody else:
// InputError.
//
// Exactly one process takes over a dead owner's lock: to replace it, a process must own the lock
// <path>.<token of the dead owner>, and the new lock has another token. If that process dies in
// between, its own lock is taken over in the same way.

#ifndef FLARE_BASE_LOCK_FILE_H_
#define FLARE_BASE_LOCK_FILE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace flare {

struct LockOwner {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  // when the process started, in clock ticks since boot
  std::string boot;              // identifies where the pid is valid (process.h)
  std::string job;               // the batch system's job, if any
  std::string token;             // unique to this acquisition

  // "process 123 on host a (job 45)".
  std::string Describe() const;
};

// Does the lock `lock` need a file of this name: the lock itself, a draft of it, or a file of
// processes that are taking it over?
bool IsLockName(const std::string& file, std::string_view lock);

enum class LockState {
  kFree,
  kAlive,
  kDead,
  kUndecided,  // its owner is elsewhere, and we have not watched it long enough
};

// Remembers when it last saw the heartbeats of locks elsewhere move.
class LockObserver {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr std::chrono::seconds kPatience{120};

  explicit LockObserver(Clock now = std::chrono::steady_clock::now) : now_(std::move(now)) {}

  // Sets `owner`, if given, unless the lock is free. Throws IoError, and InputError if the file is
  // no lock.
  LockState Look(const std::string& path, LockOwner* owner = nullptr);
  // Like Look, but returns kDead only if TryAcquire would succeed, which it would not while
  // somebody is taking the lock over.
  LockState LookForTakeover(const std::string& path);

 private:
  struct Sighting {
    std::string contents;
    std::chrono::steady_clock::time_point since;
    bool moved = false;  // we have seen its heartbeat move
  };
  Clock now_;
  std::map<std::string, Sighting> sightings_;
};

class LockFile {
 public:
  static constexpr std::chrono::seconds kHeartbeatPeriod{15};

  // Becomes the owner of a lock that is free or whose owner is dead; otherwise returns null, and
  // `owner` and `state` (kAlive or kUndecided), if given, say why. Throws IoError, and InputError
  // if something else is there.
  static std::unique_ptr<LockFile> TryAcquire(
      const std::string& path, LockObserver& observer, LockOwner* owner = nullptr,
      LockState* state = nullptr, std::chrono::milliseconds heartbeat_period = kHeartbeatPeriod);
  // Releases it.
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Is the file at the path still this lock? A process that was suspended for a long time may have
  // lost it.
  bool StillOurs() const;
  // Did the previous owner die without releasing the lock?
  bool was_taken_over() const { return was_taken_over_; }

 private:
  struct Heart;  // rewrites the heartbeat in a thread of its own
  LockFile(std::string path, int fd);

  std::string path_;
  int fd_;
  bool was_taken_over_ = false;
  std::unique_ptr<Heart> heart_;
};

struct LockWait {
  // Returns true to give up.
  std::function<bool()> stop = nullptr;
  // Called once if it takes longer than a second.
  std::function<void(const LockOwner&)> waiting = nullptr;
};

// Waits for a lock that others hold. Returns null if it was told to stop. Throws IoError.
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

#endif  // FLARE_BASE_LOCK_FILE_H_
