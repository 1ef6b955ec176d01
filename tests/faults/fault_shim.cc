// Preloaded into flare, it makes one call to the system fail, as a full or broken disk would, or
// kills the process there. faults/injection.h is its other half.
//
//   FAULT_UNDER  only calls on files under this directory count (a real path, without links)
//   FAULT_LOG    a file that gets a line `CALL PATH` for every call that counts, of every process,
//                and a line starting with `!` for the one that was made to fail
//   FAULT_AT     `CALL PATH` as in the log, and
//   FAULT_NTH    which of them, from 1
//   FAULT        error, error-from-here, short, short-then-error, kill-before (of a write: in its
//                middle), kill-after, exception (that nobody expects), check (one that fails),
//                no-memory (an allocation that is refused there)
//   FAULT_ERRNO  the error, a number
//
// PATH is relative to FAULT_UNDER, or what is asked for where there is no file; what differs from
// run to run in the name of a file (a process id, a random token) is written as #. So a point is
// the same one in every run, whichever thread comes first.

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "flare/base/error.h"

namespace {

// The function of the C library that ours wraps.
template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string LinkTarget(const std::string& link) {
  char buffer[PATH_MAX];
  const ssize_t count = ::readlink(link.c_str(), buffer, sizeof(buffer));
  return count < 0 ? "" : std::string(buffer, static_cast<std::size_t>(count));
}

std::string PathOf(int fd) { return LinkTarget("/proc/self/fd/" + std::to_string(fd)); }

std::string PathOf(int directory, const char* path) {
  if (path[0] == '/') return path;
  return (directory == AT_FDCWD ? LinkTarget("/proc/self/cwd") : PathOf(directory)) + "/" + path;
}

bool IsNumberOrToken(std::string_view piece) {
  return !piece.empty() &&
         std::all_of(piece.begin(), piece.end(), [](unsigned char c) { return std::isxdigit(c); });
}

// a/sweep.json.4711.tmp as a/sweep.json.#.tmp.
std::string Lasting(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  std::string out = path.substr(0, name);
  for (std::size_t begin = name; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string piece = path.substr(begin, end - begin);
    out += begin > name && IsNumberOrToken(piece) ? "#" : piece;
    if (end < path.size()) out += '.';
    begin = end + 1;
  }
  return out;
}

enum class Fault {
  kNone,
  kError,
  kShort,
  kShortThenError,
  kKillBefore,
  kKillAfter,
  kException,
  kCheck,
  kNoMemory
};

// Errors that stay do so for the calls that such a disk would refuse.
bool Refuses(int error, const std::string& call) {
  if (error == ENOSPC) {
    return call == "open-write" || call == "write" || call == "pwrite" || call == "mkdir" ||
           call == "link";
  }
  if (error == EROFS) {
    return call == "open-write" || call == "mkdir" || call == "link" || call == "rename" ||
           call == "unlink";
  }
  return call != "mmap" && call != "getrandom";
}

// Calls that name no file count wherever they come from, under the name of what they ask for.
const char* NameWithoutFile(const std::string& call) {
  return call == "mmap" ? "memory" : call == "getrandom" ? "random bytes" : nullptr;
}

// Notes the call, and says what is to become of it. The log is locked meanwhile, and opened again
// each time so that the lock holds between threads too.
Fault Decide(const std::string& call, const std::string& path) {
  // A sanitizer reads files before the program has an environment.
  if (::environ == nullptr) return Fault::kNone;
  static const std::string under = Setting("FAULT_UNDER");
  static const std::string log = Setting("FAULT_LOG");
  static const std::string at = Setting("FAULT_AT");
  static const std::string kind = Setting("FAULT");
  static const int error = std::atoi(Setting("FAULT_ERRNO").c_str());
  static const int nth = std::atoi(Setting("FAULT_NTH").c_str());
  const bool counts =
      !under.empty() && !log.empty() &&
      (path == under || path.starts_with(under + "/") || NameWithoutFile(call) != nullptr);
  if (!counts) return Fault::kNone;

  static auto* real_open = Real<int(const char*, int, ...)>("open");
  static auto* real_read = Real<ssize_t(int, void*, std::size_t)>("read");
  static auto* real_write = Real<ssize_t(int, const void*, std::size_t)>("write");
  static auto* real_close = Real<int(int)>("close");
  const int fd = real_open(log.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return Fault::kNone;
  while (::flock(fd, LOCK_EX) != 0) {
  }
  std::string before;
  char buffer[1 << 14];
  for (ssize_t count; (count = real_read(fd, buffer, sizeof(buffer))) > 0;) {
    before.append(buffer, static_cast<std::size_t>(count));
  }
  const char* what = NameWithoutFile(call);
  const std::string name = what != nullptr ? what
                           : path == under ? "."
                                           : Lasting(path.substr(under.size() + 1));
  const std::string point = call + " " + name;
  int times = 1;
  const std::string line = point + "\n";
  for (std::size_t i = 0; (i = before.find(line, i)) != std::string::npos; i += line.size()) {
    if (i == 0 || before[i - 1] == '\n') ++times;
  }
  const bool hit = point == at && times == nth;
  const bool goes_on = kind == "error-from-here" && Refuses(error, call) &&
                       (before.starts_with("!") || before.find("\n!") != std::string::npos);
  const std::string note = line + (hit ? "! " + line : "");
  [[maybe_unused]] const ssize_t ignored = real_write(fd, note.data(), note.size());
  real_close(fd);
  if (!hit && !goes_on) return Fault::kNone;
  if (kind == "short") return Fault::kShort;
  if (kind == "short-then-error") return Fault::kShortThenError;
  if (kind == "kill-before") return Fault::kKillBefore;
  if (kind == "kill-after") return Fault::kKillAfter;
  if (kind == "exception") return Fault::kException;
  if (kind == "check") return Fault::kCheck;
  if (kind == "no-memory") return Fault::kNoMemory;
  return Fault::kError;
}

[[noreturn]] void Die() {
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

int Error() { return std::atoi(Setting("FAULT_ERRNO").c_str()); }

// A call that either happens as a whole or does not.
template <class Call>
auto Whole(const char* name, const std::string& path, Call call) -> decltype(call()) {
  using Result = decltype(call());
  switch (Decide(name, path)) {
    case Fault::kKillBefore:
      Die();
    case Fault::kKillAfter:
      call();
      Die();
    case Fault::kError:
      errno = Error();
      return static_cast<Result>(-1);
    case Fault::kException:
      throw std::logic_error("nobody expects this");
    case Fault::kCheck:
      throw flare::CheckError("here.cc:1: check failed: false");
    case Fault::kNoMemory:
      std::get_new_handler()();
      throw std::bad_alloc();
    default:
      return call();
  }
}

// One that may do a part of what it is asked for; `call` is given how much.
template <class Call>
ssize_t Partial(const char* name, int fd, std::size_t size, Call call) {
  static thread_local int fails_next = -1;
  const Fault fault = Decide(name, PathOf(fd));
  if (fails_next == fd) {
    fails_next = -1;
    errno = Error();
    return -1;
  }
  switch (fault) {
    case Fault::kKillBefore:
      call(size / 2);
      Die();
    case Fault::kKillAfter:
      call(size);
      Die();
    case Fault::kError:
      errno = Error();
      return -1;
    case Fault::kShortThenError:
      fails_next = fd;
      [[fallthrough]];
    case Fault::kShort:
      return call((size + 1) / 2);
    default:
      return call(size);
  }
}

const char* OpenName(int flags) {
  if ((flags & O_DIRECTORY) != 0) return "open-directory";
  return (flags & O_ACCMODE) == O_RDONLY && (flags & O_CREAT) == 0 ? "open-read" : "open-write";
}

mode_t ModeOf(int flags, va_list rest) { return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = ModeOf(flags, rest);
  va_end(rest);
  static auto* real = Real<int(const char*, int, ...)>("open");
  return Whole(OpenName(flags), PathOf(AT_FDCWD, path), [&] { return real(path, flags, mode); });
}

int openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = ModeOf(flags, rest);
  va_end(rest);
  static auto* real = Real<int(int, const char*, int, ...)>("openat");
  return Whole(OpenName(flags), PathOf(directory, path),
               [&] { return real(directory, path, flags, mode); });
}

// As Linux does it, a descriptor is gone even if close fails.
int close(int fd) {
  static auto* real = Real<int(int)>("close");
  const std::string path = PathOf(fd);
  bool closed = false;
  const int flags = ::fcntl(fd, F_GETFL);
  const bool reading = flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
  const int result = Whole(reading ? "close-read" : "close-write", path, [&] {
    closed = true;
    return real(fd);
  });
  if (!closed) {
    const int error = errno;
    real(fd);
    errno = error;
  }
  return result;
}

ssize_t read(int fd, void* to, size_t size) {
  static auto* real = Real<ssize_t(int, void*, size_t)>("read");
  // Files are smaller than buffers, so a short read is a very short one.
  return Partial("read", fd, size, [&](size_t part) {
    return real(fd, to, part < size ? std::min<size_t>(part, 3) : size);
  });
}

ssize_t write(int fd, const void* from, size_t size) {
  static auto* real = Real<ssize_t(int, const void*, size_t)>("write");
  return Partial("write", fd, size, [&](size_t part) { return real(fd, from, part); });
}

ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  static auto* real = Real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return Partial("pwrite", fd, size, [&](size_t part) { return real(fd, from, part, at); });
}

int fsync(int fd) {
  static auto* real = Real<int(int)>("fsync");
  return Whole("fsync", PathOf(fd), [&] { return real(fd); });
}

// What is thrown in those that may not throw is a fault like any other: it ends the program.
// NOLINTBEGIN(bugprone-exception-escape)

int flock(int fd, int operation) noexcept {
  static auto* real = Real<int(int, int)>("flock");
  const std::string path = PathOf(fd);
  if (path == Setting("FAULT_LOG")) return real(fd, operation);
  return Whole("flock", path, [&] { return real(fd, operation); });
}

// Named by where it leads.
int rename(const char* from, const char* to) noexcept {
  static auto* real = Real<int(const char*, const char*)>("rename");
  return Whole("rename", PathOf(AT_FDCWD, to), [&] { return real(from, to); });
}

int link(const char* from, const char* to) noexcept {
  static auto* real = Real<int(const char*, const char*)>("link");
  return Whole("link", PathOf(AT_FDCWD, to), [&] { return real(from, to); });
}

int unlink(const char* path) noexcept {
  static auto* real = Real<int(const char*)>("unlink");
  return Whole("unlink", PathOf(AT_FDCWD, path), [&] { return real(path); });
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  static auto* real = Real<int(int, const char*, int)>("unlinkat");
  return Whole("unlink", PathOf(directory, path), [&] { return real(directory, path, flags); });
}

int remove(const char* path) noexcept {
  static auto* real = Real<int(const char*)>("remove");
  return Whole("unlink", PathOf(AT_FDCWD, path), [&] { return real(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* real = Real<int(const char*, mode_t)>("mkdir");
  return Whole("mkdir", PathOf(AT_FDCWD, path), [&] { return real(path, mode); });
}

int stat(const char* __restrict path, struct stat* __restrict status) noexcept {
  static auto* real = Real<int(const char*, struct stat*)>("stat");
  return Whole("stat", PathOf(AT_FDCWD, path), [&] { return real(path, status); });
}

int lstat(const char* __restrict path, struct stat* __restrict status) noexcept {
  static auto* real = Real<int(const char*, struct stat*)>("lstat");
  return Whole("stat", PathOf(AT_FDCWD, path), [&] { return real(path, status); });
}

ssize_t getrandom(void* to, size_t size, unsigned flags) {
  static auto* real = Real<ssize_t(void*, size_t, unsigned)>("getrandom");
  return Whole("getrandom", "", [&] { return real(to, size, flags); });
}

void* mmap(void* where, size_t size, int protection, int flags, int fd, off_t at) noexcept {
  static auto* real = Real<void*(void*, size_t, int, int, int, off_t)>("mmap");
  long result = Whole("mmap", "", [&] {
    return reinterpret_cast<long>(real(where, size, protection, flags, fd, at));
  });
  return reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr)
}

// NOLINTEND(bugprone-exception-escape)
}  // extern "C"
