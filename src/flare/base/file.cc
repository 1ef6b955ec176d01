#include "flare/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/system.h"
#include "flare/base/text.h"

namespace flare {
namespace {

// Owns a file descriptor; closes it on every path.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    // Even if interrupted, it is closed: Linux never leaves it open.
    return ::close(fd) == 0 || errno == EINTR;
  }

 private:
  int fd_;
};

int OpenToRead(const std::string& path, int flags) {
  if (path.empty()) throw InputError("", "the name of a file is empty");
  const int fd = OpenFile(path, O_RDONLY | flags);
  if (fd >= 0) return fd;
  if (errno == ENOENT || errno == ENOTDIR) throw InputError(path, "no such file");
  throw IoError(path, "open", errno);
}

int OpenRegular(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const int fd = OpenToRead(path, O_NONBLOCK);
  struct stat status;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  ::close(fd);
  throw InputError(path, "is not a regular file");
}

// The most that is read from one file, pipe or device: /dev/zero has no end.
constexpr std::size_t kMostBytes = std::size_t{2} << 30;

[[noreturn]] void ThrowTooLarge(const std::string& path) {
  throw InputError(path, fmt::format("is larger than {} GB", kMostBytes >> 30));
}

std::string ReadAll(int fd, const std::string& path) {
  struct stat status;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size - ::lseek(fd, 0, SEEK_CUR) > static_cast<off_t>(kMostBytes)) {
    ThrowTooLarge(path);
  }
  std::string contents;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count == 0) return contents;
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno == EISDIR) throw InputError(path, "is a directory, expected a file");
      throw IoError(path, "read", errno);
    }
    contents.append(buffer.data(), static_cast<std::size_t>(count));
    if (contents.size() > kMostBytes) ThrowTooLarge(path);
  }
}

void WriteAll(int fd, std::string_view contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t count = ::write(fd, contents.data(), contents.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      throw IoError(path, "write", errno);
    }
    contents.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

}  // namespace

int OpenFile(const std::string& path, int flags, unsigned mode) {
  int fd;
  while ((fd = ::open(path.c_str(), flags | O_CLOEXEC, mode)) < 0 && errno == EINTR) {
  }
  return fd;
}

std::string ReadFile(const std::string& path) {
  if (path == "-") {
    // Standard input is one for the whole process: a second reader would silently get nothing.
    static std::atomic<bool> taken{false};
    if (taken.exchange(true)) throw InputError("standard input", "is asked for twice");
    return ReadAll(STDIN_FILENO, "standard input");
  }
  const Descriptor fd(OpenToRead(path, 0));
  return ReadAll(fd.get(), path);
}

std::string ReadRegularFile(const std::string& path) {
  const Descriptor fd(OpenRegular(path));
  return ReadAll(fd.get(), path);
}

std::string ReadEnd(const std::string& path, std::size_t bytes) {
  const Descriptor fd(OpenRegular(path));
  // If the file is shorter, this fails and changes nothing.
  ::lseek(fd.get(), -static_cast<off_t>(bytes), SEEK_END);
  std::string end = ReadAll(fd.get(), path);
  if (end.size() > bytes) end.erase(0, end.size() - bytes);  // it grew meanwhile
  return end;
}

void MakeDirectories(const std::string& path) {
  std::error_code failed, unseen;
  std::filesystem::create_directories(path, failed);
  const std::filesystem::file_status status = std::filesystem::status(path, unseen);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    throw InputError(path, "exists and is not a directory");
  }
  if (failed) throw IoError(path, "create", failed.value());
  if (unseen) throw IoError(path, "examine", unseen.value());
}

void CheckNoLinks(const std::string& folder, const std::string& relative) {
  std::filesystem::path path = folder;
  for (const std::filesystem::path& part : std::filesystem::path(relative)) {
    path /= part;
    // An error here is ignored: the write will fail as well, and say why.
    std::error_code unseen;
    if (std::filesystem::is_symlink(path, unseen)) {
      throw InputError(path, "is a link", "remove it, or name another folder");
    }
  }
}

void Sync(const std::string& path) {
  const Descriptor fd(OpenFile(path, O_RDONLY));
  if (fd.get() < 0) throw IoError(path, "sync", errno);
  Sync(fd.get(), path);
}

void Sync(int fd, const std::string& name) {
  while (::fsync(fd) != 0) {
    if (errno != EINTR) throw IoError(name, "sync", errno);
  }
}

void WriteFile(const std::string& path, std::string_view contents) {
  Descriptor fd(OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC, 0666));
  if (fd.get() < 0) throw IoError(path, "write", errno);
  WriteAll(fd.get(), contents, path);
  if (!fd.Close()) throw IoError(path, "write", errno);
}

void WriteFileAtomically(const std::string& given_path, std::string_view contents,
                         const std::function<void()>& before_rename) {
  // A link is followed, so that what it points to is replaced and not the link.
  std::string path = given_path;
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) throw InputError(path, "exists and is not a regular file");
    char* resolved = ::realpath(path.c_str(), nullptr);
    if (resolved == nullptr) throw IoError(path, "resolve", errno);
    path = resolved;
    ::free(resolved);
  }
  Draft draft(path, given_path);
  draft.Write(contents);
  draft.Sync();
  if (before_rename) before_rename();
  draft.Rename();
  Sync(DirectoryOf(path));
}

void WriteInside(const std::string& folder, const std::string& relative, std::string_view contents,
                 const std::function<void()>& before_rename) {
  const std::filesystem::path path = std::filesystem::path(folder) / relative;
  CheckNoLinks(folder, relative);
  // If the folder itself was moved away meanwhile, no other is made in its place.
  if (path.parent_path() != std::filesystem::path(folder)) MakeDirectories(path.parent_path());
  WriteFileAtomically(path, contents, before_rename);
}

void CheckDirectoryName(const std::string& name, const std::string& where) {
  constexpr std::size_t kLongest = 100;
  bool good = !name.empty() && name.size() <= kLongest && name[0] != '.';
  for (std::size_t i = 0; good && i < name.size();) {
    const auto character = Utf8CharacterAt(name, i);
    good = character && *character != "/" && CodePoint(*character) >= 0x20 &&
           CodePoint(*character) != 0x7F;
    if (good) i += character->size();
  }
  if (!good) {
    throw InputError(where, fmt::format("{} cannot be the name of a directory", Quoted(name)),
                     "expected up to 100 characters without '/', not starting with '.'");
  }
}

void CheckRecordable(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto character = Utf8CharacterAt(text, i);
    if (!character) {
      throw InputError(Quoted(text), "this name is not UTF-8, so no JSON file can hold it",
                       "rename it");
    }
    i += character->size();
  }
}

std::string RandomToken(const std::string& what) {
  std::array<unsigned char, 8> bytes;
  if (!DrawRandomBytes(bytes)) throw IoError(what, "draw random bytes for", errno);
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool IsToken(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

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

// A draft that can be locked has no writer. If it can be locked twice, as on network file systems
// without locks, that proves nothing, and the draft stays.
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
  // A process that removes the drafts of killed processes may remove this one before it is locked.
  do {
    if (fd_ >= 0) ::close(fd_);
    name_ = fmt::format("{}{}{}{}", path, kOurs, RandomToken(called), kEnding);
    fd_ = OpenFile(name_, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (fd_ < 0) throw IoError(called_, "write", errno);
    // If locking fails here, no other process can lock the draft to remove it.
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
  // Drafts behind a link may be somebody else's.
  if (std::filesystem::is_symlink(folder, ignored)) return;
  std::vector<std::string> drafts;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (DraftOf(entry.path().filename().string())) drafts.push_back(entry.path().string());
  }
  for (const std::string& draft : drafts) RemoveIfLeft(draft);
}

}  // namespace flare
