// Another program that runs alongside us: started, watched, asked to stop, and never left behind.

#ifndef FLARE_BASE_CHILD_PROGRAM_H_
#define FLARE_BASE_CHILD_PROGRAM_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flare {

class ChildProgram {
 public:
  // The program is looked up on the PATH; no shell is involved. It gets our environment with these
  // variables changed, and what it prints is appended to the file `log`. It forms a process group
  // of its own, so that Ctrl-C reaches it through us alone, and the kernel kills it when the thread
  // that started it ends. Throws InputError if there is no such program, IoError if it cannot be
  // started.
  ChildProgram(const std::vector<std::string>& arguments,
               const std::vector<std::pair<std::string, std::string>>& environment,
               const std::string& log);
  // Kills it if it still runs.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // Its exit code, 128 + the signal if one ended it; nothing while it runs.
  std::optional<int> Poll();
  // Sends a signal to its process group.
  void Signal(int signal) const;

 private:
  pid_t pid_;
  std::optional<int> exit_code_;
};

}  // namespace flare

#endif  // FLARE_BASE_CHILD_PROGRAM_H_
