// A command with all that it starts, to be ended as a whole.

#ifndef FLARE_TESTS_SUPPORT_PROCESS_TREE_H_
#define FLARE_TESTS_SUPPORT_PROCESS_TREE_H_

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace flare {

// Daemons leave their parent, so neither a process group nor a parent's pid finds them again. Here
// they are adopted by a keeper, a process between us and the command, which therefore knows by pid
// exactly what the command has started. When it is told to, or when the thread that made the tree
// ends in whatever way (a test program that crashes or is killed), it kills all of them.
class ProcessTree {
 public:
  // `command` is given to bash; what it prints is appended to `log`.
  ProcessTree(const std::string& command, const std::filesystem::path& log);
  // Returns when none of the tree's processes is left, not even as a zombie.
  ~ProcessTree();
  // False once all its processes have ended by themselves.
  bool Running();
  ProcessTree(const ProcessTree&) = delete;
  ProcessTree& operator=(const ProcessTree&) = delete;

 private:
  pid_t keeper_;  // 0 once it has ended
};

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_PROCESS_TREE_H_
