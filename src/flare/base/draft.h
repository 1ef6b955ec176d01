// A file that is being written next to the one that it will replace. Its name says that it is ours
// and which file it is for: a.json.flare.0123456789abcdef.tmp. While somebody writes it, it is
// locked (flock): so what a killed process left can be told from what a living one is writing, even
// one on another machine or in another container, where pids say nothing.

#ifndef FLARE_BASE_DRAFT_H_
#define FLARE_BASE_DRAFT_H_

#include <optional>
#include <string>
#include <string_view>

namespace flare {

class Draft {
 public:
  // A draft of the file at `path`, which errors call `called`. Throws IoError, and InputError if a
  // device or a pipe is there.
  Draft(const std::string& path, const std::string& called);
  explicit Draft(const std::string& path) : Draft(path, path) {}
  // Removes it, unless it was renamed.
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  int fd() const { return fd_; }
  const std::string& name() const { return name_; }
  // Throws IoError.
  void Write(std::string_view contents);
  void Sync();
  // Gives it the name of the file that it is for. Throws IoError.
  void Rename();

 private:
  std::string path_, called_, name_;
  int fd_ = -1;
  bool renamed_ = false;
};

// The name of the file that a draft is for; nothing if this is not the name of a draft.
std::optional<std::string> DraftOf(const std::string& name);

}  // namespace flare

#endif  // FLARE_BASE_DRAFT_H_
