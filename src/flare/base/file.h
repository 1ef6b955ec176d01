// Reading whole files, and writing them so that a reader never sees half of one.

#ifndef FLARE_BASE_FILE_H_
#define FLARE_BASE_FILE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace flare {

// The bytes of a file; `-` means standard input. Throws IoError, or InputError if there is no such
// file (a misspelt path is for the user to correct), if it is larger than 2 GB, or if standard
// input has been read before.
std::string ReadFile(const std::string& path);

// Reads a file that was found in a directory instead of named by the user. It must be a regular
// file or a link to one, so that nobody waits for a pipe.
std::string ReadRegularFile(const std::string& path);

// Writes a new file, without syncing it. For files in a directory that nobody looks into before it
// is complete and synced as a whole; others want WriteFileAtomically. Throws IoError.
void WriteFile(const std::string& path, std::string_view contents);

// Replaces the file by `contents`: a temporary file in the same directory, fsync, rename. After any
// failure or crash the path holds the old contents or the new ones. A link is followed. Throws
// IoError, or InputError if the path exists and is not a regular file. `before_rename` may throw to
// leave the old contents.
void WriteFileAtomically(const std::string& path, std::string_view contents,
                         const std::function<void()>& before_rename = nullptr);

// Writes a file of ours at `relative` in a folder that the user named, and makes the folders on the
// way. The folder itself may be a link. A link below it is not followed, since what it leads to is
// not ours: InputError.
void WriteInside(const std::string& folder, const std::string& relative, std::string_view contents,
                 const std::function<void()>& before_rename = nullptr);

// Removes what such writes left behind when their processes were killed. For a folder that nobody
// else writes into; lock files, which others may be using, are not touched.
void RemoveTemporaries(const std::string& folder);

// Makes a directory and those above it, unless they exist. Throws IoError, or InputError if the
// path exists and is not a directory.
void MakeDirectories(const std::string& path);

// Throws InputError if a part of `relative` is a link below `folder`: the link may lead to files
// that are not ours.
void CheckNoLinks(const std::string& folder, const std::string& relative);

// Calls open(2), but retries when a signal or a network file system interrupts it, and does not let
// children inherit the file.
int OpenFile(const std::string& path, int flags, unsigned mode = 0);

// The last bytes of a regular file, which may be large; all of it if it is shorter. Throws
// InputError, IoError.
std::string ReadEnd(const std::string& path, std::size_t bytes);

// Makes the contents of a file, or the names in a directory (a rename), durable. Throws IoError.
void Sync(const std::string& path);
// The same for an open file; `name` is for the error.
void Sync(int fd, const std::string& name);

// A name that can be a directory: no '/', not hidden, no control characters. Throws InputError.
void CheckDirectoryName(const std::string& name, const std::string& where);

// Runs and sweeps record where their data is. Throws InputError if that path cannot be recorded.
void CheckRecordable(const std::string& name);

// A name that nobody else has: 16 hexadecimal digits, from the kernel's randomness: processes of
// different machines and containers, which may have the same pid, draw different ones. `what` needs
// it, for the error. Throws IoError.
std::string RandomToken(const std::string& what);

// Hexadecimal digits, up to 64.
bool IsToken(std::string_view text);

// A file that is being written next to the one that it will replace. Its name says that it is ours
// and which file it will replace: a.json.flare.0123456789abcdef.tmp. The writer holds a lock on it
// (flock), which tells the draft of a killed process from that of a live one, even on another
// machine or in another container, where pids mean nothing.
class Draft {
 public:
  // Creates a draft of the file at `path`, which errors call `called`. Throws IoError, and
  // InputError if the path is a device or a pipe.
  Draft(const std::string& path, const std::string& called);
  explicit Draft(const std::string& path) : Draft(path, path) {}
  // Removes the draft, unless it was renamed.
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  int fd() const { return fd_; }
  const std::string& name() const { return name_; }
  // Throws IoError.
  void Write(std::string_view contents);
  void Sync();
  // Renames the draft to the file that it replaces. Throws IoError.
  void Rename();

 private:
  std::string path_, called_, name_;
  int fd_ = -1;
  bool renamed_ = false;
};

// Returns the name of the file that a draft replaces; nothing if this is not the name of a draft.
std::optional<std::string> DraftOf(const std::string& name);

}  // namespace flare

#endif  // FLARE_BASE_FILE_H_
