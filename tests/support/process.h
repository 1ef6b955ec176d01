// A child process that a test can interrupt.

#ifndef FLARE_TESTS_SUPPORT_PROCESS_H_
#define FLARE_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace flare {

class Process {
 public:
  // Starts a program; its output goes to `output`, a file.
  Process(const std::vector<std::string>& arguments, const std::string& output);
  // Kills it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal);
  // Its exit code, or 128 + the signal that ended it.
  int Wait();
  bool Running();

 private:
  pid_t pid_;
  std::optional<int> status_;
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_PROCESS_H_
