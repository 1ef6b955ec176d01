// A file that is being written next to the one that it will replace. Its name says that it is ours
// and which file it will replace: a.json.flare.0123456789abcdef.tmp. The writer holds a lock on it
// (flock), which tells the draft of a killed process from that of a live one, even on another
// machine or in another container, where pids mean nothing.

#ifndef FLARE_BASE_DRAFT_H_
#define FLARE_BASE_DRAFT_H_

#include <optional>
#include <string>
#include <string_view>

namespace flare {

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

#endif  // FLARE_BASE_DRAFT_H_
