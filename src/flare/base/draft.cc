#include "flare/base/draft.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare {
namespace {

constexpr std::string_view kOurs = ".flare.", kEnding = ".tmp";

// False if another process holds it, or the file system cannot tell.
bool Lock(int fd, int operation) {
  while (::flock(fd, operation) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool IsRemoved(int fd) {
  struct stat status;
  return ::fstat(fd, &status) == 0 && status.st_nlink == 0;
}

// If it can be locked, nobody is writing it. Where it can be locked twice, as on network file
// systems without locks, that proves nothing, and it stays.
void RemoveIfLeft(const std::string& draft) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
  const int once = OpenFile(draft, kFlags), twice = OpenFile(draft, kFlags);
  const bool is_left =
      once >= 0 && twice >= 0 && Lock(once, LOCK_EX | LOCK_NB) && !Lock(twice, LOCK_EX | LOCK_NB);
  if (is_left) ::unlink(draft.c_str());
  for (const int fd : {once, twice}) {
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace

Draft::Draft(const std::string& path, const std::string& called) : path_(path), called_(called) {
  // Renaming would put a file in the place of a device.
  struct stat there;
  if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode) &&
      !S_ISDIR(there.st_mode)) {
    throw InputError(called_, "is not a regular file, and would be replaced", "name another one");
  }
  // Whoever removes what killed processes left may get to it before the lock does: try again.
  do {
    if (fd_ >= 0) ::close(fd_);
    name_ = fmt::format("{}{}{}{}", path, kOurs, RandomToken(called), kEnding);
    fd_ = OpenFile(name_, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (fd_ < 0) throw IoError(called_, "write", errno);
    // Where this fails, nobody can lock it to remove it either.
    Lock(fd_, LOCK_EX);
  } while (IsRemoved(fd_));
}

Draft::~Draft() {
  if (!renamed_) ::unlink(name_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

void Draft::Write(std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t count = ::write(fd_, contents.data(), contents.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      throw IoError(called_, "write", errno);
    }
    contents.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Draft::Sync() { flare::Sync(fd_, called_); }

void Draft::Rename() {
  // Some file systems report only now what they could not write.
  const int copy = ::dup(fd_);
  if (copy < 0 || (::close(copy) != 0 && errno != EINTR)) throw IoError(called_, "write", errno);
  if (::rename(name_.c_str(), path_.c_str()) != 0) throw IoError(called_, "rename", errno);
  renamed_ = true;
}

std::optional<std::string> DraftOf(const std::string& name) {
  if (!name.ends_with(kEnding)) return std::nullopt;
  const std::string rest = name.substr(0, name.size() - kEnding.size());
  const std::size_t ours = rest.rfind(kOurs);
  if (ours == std::string::npos || ours == 0 || !IsToken(rest.substr(ours + kOurs.size()))) {
    return std::nullopt;
  }
  return rest.substr(0, ours);
}

void RemoveTemporaries(const std::string& folder) {
  std::error_code ignored;
  // Not inside what a link points to, which may be somebody else's.
  if (std::filesystem::is_symlink(folder, ignored)) return;
  std::vector<std::string> drafts;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (DraftOf(entry.path().filename().string())) drafts.push_back(entry.path().string());
  }
  for (const std::string& draft : drafts) RemoveIfLeft(draft);
}

}  // namespace flare
