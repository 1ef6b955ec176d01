#include "flare/base/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"
#include "flare/base/process.h"
#include "flare/base/text.h"

namespace flare {
namespace {

LockOwner Self() {
  LockOwner owner;
  const ProcessIdentity self = OwnIdentity();
  owner.host = self.host;
  owner.pid = self.pid;
  owner.start_time = self.start_time;
  owner.boot = self.boot;
  if (const char* job = std::getenv("SLURM_JOB_ID")) owner.job = job;
  owner.token = RandomToken("a lock");
  return owner;
}

// The heartbeat comes last and has a fixed width: it is overwritten in place.
using Beat = std::array<char, 12>;
constexpr std::size_t kAfterBeat = 3;  // bytes of the file: "}\n

Beat FormatBeat(std::uint64_t count) {
  Beat beat;
  fmt::format_to_n(beat.begin(), beat.size(), "{:012}", count);
  return beat;
}

std::string Format(const LockOwner& owner) {
  const Beat beat = FormatBeat(0);
  const Json json = {{"host", owner.host},
                     {"pid", owner.pid},
                     {"start_time", owner.start_time},
                     {"boot", owner.boot},
                     {"job", owner.job},
                     {"token", owner.token},
                     {"heartbeat", std::string(beat.begin(), beat.end())}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

constexpr off_t kLargest = 1 << 16;  // far more than Format makes

// Can a crash have left this of a lock? Its end is missing, or zeros that never reached the disk
// stand in its place.
bool IsRemnant(std::string_view text) {
  constexpr std::string_view kBegin = "{\"host\":\"";
  text = text.substr(0, text.find_last_not_of('\0') + 1);  // nothing but zeros: npos + 1 is 0
  const bool begins = text.starts_with(kBegin) || kBegin.starts_with(text);
  return begins && text.find('}') == std::string_view::npos;
}

// Returns nothing if the text is not a lock: a crash may have cut it off.
std::optional<LockOwner> Parse(const std::string& contents) {
  try {
    const Json json = ParseJson(contents, "lock");
    LockOwner owner;
    owner.host = json.at("host");
    owner.pid = Whole<std::int64_t>(json.at("pid"));
    owner.start_time = Whole<std::uint64_t>(json.at("start_time"));
    owner.boot = json.at("boot");
    owner.job = json.at("job");
    owner.token = json.at("token");
    // It becomes part of a file's name.
    if (!IsToken(owner.token)) return std::nullopt;
    return owner;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

[[noreturn]] void ThrowForeign(const std::string& path) {
  throw InputError(path, "is not a lock that flare wrote",
                   "it stands where a lock belongs: move it away, or name another directory");
}

// Nothing if there is no such file. On NFS a file that was removed elsewhere may be stale first.
std::optional<std::string> ReadLock(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ESTALE) return std::nullopt;
    throw IoError(path, "examine", errno);
  }
  if (!S_ISREG(status.st_mode)) throw InputError(path, "is not a regular file, so not a lock");
  if (status.st_size > kLargest) ThrowForeign(path);
  std::string contents;
  try {
    contents = ReadFile(path);
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const IoError& error) {
    if (error.error_number() == ESTALE) return std::nullopt;
    throw;
  }
  if (!Parse(contents) && !IsRemnant(contents)) ThrowForeign(path);
  return contents;
}

// Stands for the token of a lock whose owner is unknown.
constexpr std::string_view kUnreadable = "unreadable";

std::string TokenOf(const std::string& contents) {
  const auto owner = Parse(contents);
  return owner ? owner->token : std::string(kUnreadable);
}

std::string TokenOf(const LockOwner& owner) {
  return owner.token.empty() ? std::string(kUnreadable) : owner.token;
}

// The owner of this lock may replace the lock at `path`.
std::string TakeoverPath(const std::string& path, const LockOwner& dead) {
  return path + "." + TokenOf(dead);
}

// They are left by processes that died with the right to replace an earlier lock at `path`. They
// grant nothing now that the lock is a different one, so its owner, and only its owner, may do
// this.
void RemoveAbandonedTakeovers(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string lock = file.filename().string();
  std::vector<std::string> abandoned;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name == lock || DraftOf(name) || !IsLockName(name, lock)) continue;
    try {
      const auto contents = ReadLock(entry.path().string());
      const auto owner = contents ? Parse(*contents) : std::nullopt;
      if (!owner) continue;
      const Life life = LookAtProcess({owner->host, owner->pid, owner->start_time, owner->boot});
      if (life == Life::kGone) abandoned.push_back(entry.path().string());
    } catch (...) {
      CaughtFault();  // a file that cannot be read stays
    }
  }
  for (const std::string& takeover : abandoned) ::unlink(takeover.c_str());
}

}  // namespace

bool IsLockName(const std::string& file, std::string_view lock) {
  const std::string of_draft = DraftOf(file).value_or(file);
  std::string_view name = of_draft;
  if (!name.starts_with(lock)) return false;
  name.remove_prefix(lock.size());
  // Versions before drafts made locks from lock.TOKEN.tmp.
  if (name.ends_with(".tmp")) name.remove_suffix(4);
  while (name.starts_with('.')) {
    const std::string_view part = name.substr(1, name.find('.', 1) - 1);
    if (!IsToken(part) && part != kUnreadable) return false;
    name.remove_prefix(1 + part.size());
  }
  return name.empty();
}

std::string LockOwner::Describe() const {
  if (host.empty()) return "somebody whose lock cannot be read";
  std::string text = fmt::format("process {} on {}", pid, Visible(host));
  if (!job.empty()) text += fmt::format(" (job {})", Visible(job));
  return text;
}

LockState LockObserver::Look(const std::string& path, LockOwner* owner) {
  const auto contents = ReadLock(path);
  if (!contents) {
    sightings_.erase(path);
    return LockState::kFree;
  }
  const auto there = Parse(*contents);
  if (owner != nullptr) *owner = there.value_or(LockOwner{});
  if (there) {
    const Life life = LookAtProcess({there->host, there->pid, there->start_time, there->boot});
    if (life == Life::kThere) return LockState::kAlive;
    if (life == Life::kGone) return LockState::kDead;
  }
  const auto now = now_();
  auto [sighting, is_new] = sightings_.try_emplace(path, Sighting{*contents, now, false});
  if (!is_new && sighting->second.contents != *contents) {
    // A new owner has shown no heartbeat of its own yet.
    const bool moved = there && TokenOf(sighting->second.contents) == there->token;
    sighting->second = {*contents, now, moved};
  }
  if (now - sighting->second.since >= kPatience) return LockState::kDead;
  return sighting->second.moved ? LockState::kAlive : LockState::kUndecided;
}

LockState LockObserver::LookForTakeover(const std::string& path) {
  LockOwner owner;
  const LockState state = Look(path, &owner);
  if (state != LockState::kDead) return state;
  const LockState taker = LookForTakeover(TakeoverPath(path, owner));
  return taker == LockState::kFree ? LockState::kDead : taker;
}

struct LockFile::Heart {
  Heart(int fd_in, off_t beat_at_in, std::chrono::milliseconds period)
      : fd(fd_in), beat_at(beat_at_in) {
    thread = std::jthread([this, period](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      for (std::uint64_t count = 1;; ++count) {
        wake.wait_for(lock, stop, period, [] { return false; });
        if (stop.stop_requested()) return;
        // A beat that fails is a beat missed; a process that takes over then is right to.
        const Beat beat = FormatBeat(count);
        [[maybe_unused]] const ssize_t written = ::pwrite(fd, beat.data(), beat.size(), beat_at);
      }
    });
  }

  int fd;
  off_t beat_at;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::jthread thread;  // last: it ends before the others are destroyed
};

std::unique_ptr<LockFile> LockFile::TryAcquire(const std::string& path, LockObserver& observer,
                                               LockOwner* owner, LockState* state,
                                               std::chrono::milliseconds heartbeat_period) {
  const LockOwner self = Self();
  const std::string contents = Format(self);
  Draft draft(path);
  draft.Write(contents);
  const int fd = ::fcntl(draft.fd(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) throw IoError(path, "open", errno);
  std::unique_ptr<LockFile> lock(new LockFile(path, fd));

  while (true) {
    // link, unlike rename, fails if the name is taken; and the file is complete at once.
    if (::link(draft.name().c_str(), path.c_str()) == 0) break;
    if (errno != EEXIST) throw IoError(path, "create", errno);
    // Over NFS the answer to a link that succeeded may be lost, and the repetition fails.
    struct stat status;
    if (::fstat(fd, &status) == 0 && status.st_nlink == 2) break;
    LockOwner there;
    const LockState found = observer.Look(path, &there);
    if (found == LockState::kFree) continue;
    if (found != LockState::kDead) {
      if (owner != nullptr) *owner = there;
      if (state != nullptr) *state = found;
      return nullptr;
    }
    const std::string token = TokenOf(there);
    const auto right_to_replace = TryAcquire(TakeoverPath(path, there), observer, owner, state);
    if (right_to_replace == nullptr) return nullptr;
    const auto now_there = ReadLock(path);
    if (!now_there || TokenOf(*now_there) != token) continue;
    draft.Rename();
    RemoveAbandonedTakeovers(path);
    lock->was_taken_over_ = true;
    break;
  }
  const auto beat_at = static_cast<off_t>(contents.size() - kAfterBeat - sizeof(Beat));
  lock->heart_ = std::make_unique<Heart>(fd, beat_at, heartbeat_period);
  return lock;
}

LockFile::LockFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

LockFile::~LockFile() {
  heart_.reset();
  // Not before it is acquired: the path then names another file.
  if (StillOurs()) ::unlink(path_.c_str());
  ::close(fd_);
}

bool LockFile::StillOurs() const {
  struct stat ours, there;
  return ::fstat(fd_, &ours) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

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
