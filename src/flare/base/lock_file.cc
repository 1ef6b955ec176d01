#include "flare/base/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/json.h"

namespace flare {
namespace {

std::string RandomToken() {
  std::array<unsigned char, 8> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw IoError("a lock", "draw random bytes for", errno);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool IsToken(const std::string& text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// A file of /proc, empty if it cannot be read.
std::string ReadProc(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "re")) {
    std::array<char, 1024> buffer;
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
    text.assign(buffer.data(), count);
    std::fclose(file);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Start time of a process in clock ticks since boot; nothing if it does not exist or is a zombie.
std::optional<std::uint64_t> StartTime(std::int64_t pid) {
  const std::string stat = ReadProc(fmt::format("/proc/{}/stat", pid));
  // The name in parentheses may contain anything; fields 3 (state) to 22 (start time) follow it.
  const std::size_t end = stat.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  for (int i = 4; i < 22; ++i) fields >> skipped;
  std::uint64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  return start;
}

// Where pids mean what they mean here.
std::string Boot() {
  std::array<char, 64> space{};
  const ssize_t count = ::readlink("/proc/self/ns/pid", space.data(), space.size());
  return ReadProc("/proc/sys/kernel/random/boot_id") + " " +
         std::string(space.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
}

LockOwner Self() {
  LockOwner owner;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  owner.host = host.data();
  owner.pid = ::getpid();
  owner.start_time = StartTime(owner.pid).value_or(0);
  owner.boot = Boot();
  if (const char* job = std::getenv("SLURM_JOB_ID")) owner.job = job;
  owner.token = RandomToken();
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

// Nothing if the text is not a lock: it may be half-written, or foreign.
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

// Nothing if there is no such file. On NFS a file that was removed elsewhere may be stale first.
std::optional<std::string> ReadLock(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ESTALE) return std::nullopt;
    throw IoError(path, "look at", errno);
  }
  if (!S_ISREG(status.st_mode)) throw InputError(path, "is not a regular file, so not a lock");
  // Something else under its name: nobody can tell whose lock it is.
  constexpr off_t kLargest = 1 << 16;
  if (status.st_size > kLargest) return "";
  try {
    return ReadFile(path);
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const IoError& error) {
    if (error.error_number() == ESTALE) return std::nullopt;
    throw;
  }
}

// Identifies the contents of a lock whose owner nobody can tell.
std::string TokenOf(const std::string& contents) {
  const auto owner = Parse(contents);
  return owner ? owner->token : "unreadable";
}

// Whoever owns this lock may replace the one at `path`.
std::string TakeoverPath(const std::string& path, const LockOwner& dead) {
  return path + "." + (dead.token.empty() ? "unreadable" : dead.token);
}

}  // namespace

std::string LockOwner::Describe() const {
  if (host.empty()) return "somebody whose lock cannot be read";
  std::string text = fmt::format("process {} on {}", pid, host);
  if (!job.empty()) text += fmt::format(" (job {})", job);
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
  if (there && there->boot == Boot()) {
    return StartTime(there->pid) == there->start_time ? LockState::kAlive : LockState::kDead;
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
  std::jthread thread;  // last: it ends before the others go
};

std::unique_ptr<LockFile> LockFile::TryAcquire(const std::string& path, LockObserver& observer,
                                               LockOwner* owner, LockState* state,
                                               std::chrono::milliseconds heartbeat_period) {
  const LockOwner self = Self();
  const std::string contents = Format(self);
  const std::string temporary = fmt::format("{}.{}.tmp", path, self.token);
  WriteFile(temporary, contents);
  struct Cleanup {
    std::string path;
    ~Cleanup() { ::unlink(path.c_str()); }
  } cleanup{temporary};
  const int fd = OpenFile(temporary, O_WRONLY);
  if (fd < 0) throw IoError(path, "open", errno);
  std::unique_ptr<LockFile> lock(new LockFile(path, fd));

  while (true) {
    // link, unlike rename, fails if the name is taken; and the file is complete at once.
    if (::link(temporary.c_str(), path.c_str()) == 0) break;
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
    const std::string token = there.token.empty() ? "unreadable" : there.token;
    const auto right_to_replace = TryAcquire(TakeoverPath(path, there), observer, owner, state);
    if (right_to_replace == nullptr) return nullptr;
    const auto now_there = ReadLock(path);
    if (!now_there || TokenOf(*now_there) != token) continue;
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw IoError(path, "take over", errno);
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

}  // namespace flare
