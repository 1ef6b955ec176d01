#include "flare/training/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "flare/base/clock.h"
#include "flare/base/error.h"

namespace flare {

EventLog::EventLog(const std::string& path, std::uint64_t size)
    : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)), size_(size) {
  if (fd_ < 0) throw IoError(path, "open", errno);
  struct stat status {};
  const bool known = ::fstat(fd_, &status) == 0;
  if (!known || static_cast<std::uint64_t>(status.st_size) < size) {
    ::close(fd_);
    throw InputError(path,
                     fmt::format("has {} bytes, but the checkpoint was made with {}",
                                 known ? status.st_size : 0, size),
                     "the run is damaged; remove its directory to start over");
  }
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) {
    ::close(fd_);
    throw IoError(path, "truncate", errno);
  }
}

EventLog::~EventLog() { ::close(fd_); }

void EventLog::Append(const std::string& name, const Json& fields) {
  Json event = {{"event", name}, {"time", UtcNow()}};
  event.update(fields);
  const std::string line = event.dump() + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::pwrite(fd_, line.data() + written, line.size() - written,
                                   static_cast<off_t>(size_ + written));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw IoError(path_, "write", errno);
    written += static_cast<std::size_t>(count);
  }
  size_ += line.size();
}

void EventLog::Sync() {
  if (::fsync(fd_) != 0) throw IoError(path_, "sync", errno);
}

}  // namespace flare
