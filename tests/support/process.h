// A child process that a test can interrupt.

#ifndef FLARE_TESTS_SUPPORT_PROCESS_H_
#define FLARE_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace flare {

class TestProcess {
 public:
  // Starts a program; its output goes to `output`, a file.
  TestProcess(const std::vector<std::string>& arguments, const std::string& output);
  // Kills it if it still runs.
  ~TestProcess();
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;

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
