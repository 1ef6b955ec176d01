#include "flare/training/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare {

EventLog::EventLog(const std::string& path, std::uint64_t size) : path_(path), size_(size) {
  if (size > 0) {
    std::string kept = ReadRegularFile(path);
    if (kept.size() < size) {
      throw InputError(
          path, fmt::format("has {} bytes, but the checkpoint was made with {}", kept.size(), size),
          "the run is damaged; remove its directory to start over");
    }
    kept.resize(size);
    WriteFileAtomically(path, kept);
  } else {
    // Empty, there is nothing that a power cut could take from it.
    const std::string temporary = path + ".tmp";
    WriteFile(temporary, "");
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw IoError(path, "replace", errno);
  }
  fd_ = OpenFile(path, O_WRONLY);
  if (fd_ < 0) throw IoError(path, "open", errno);
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

void EventLog::Sync() { flare::Sync(fd_, path_); }

}  // namespace flare
