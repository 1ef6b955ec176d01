#include "support/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>

#include "flare/base/error.h"

namespace flare {
namespace {

// The parent of a process, or -1 if the process no longer exists.
pid_t ParentOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  // pid (name) state parent ...: the name may have spaces and parentheses of its own.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return -1;
  return std::stoi(stat.substr(name_end + 4));
}

void KillChildren() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    if (ParentOf(pid) == ::getpid()) ::kill(pid, SIGKILL);
  }
}

// False if there are no children, dead or alive.
bool Reap() {
  pid_t pid;
  while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return pid == 0 || errno != ECHILD;
}

[[noreturn]] void Keep(const std::string& command, const std::string& log, pid_t parent,
                       const sigset_t& awaited, const sigset_t& mask_of_command) {
  ::setsid();  // A Ctrl-C is for the test program, whose end we then hear of.
  const int null = ::open("/dev/null", O_RDONLY);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (null < 0 || out < 0) ::_exit(1);
  ::dup2(null, 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);

  const pid_t child = ::fork();
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &mask_of_command, nullptr);
    ::execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  while (Reap()) {
    int signal = 0;
    ::sigwait(&awaited, &signal);
    if (signal == SIGTERM) break;
  }
  // Generation by generation: the children of those that we kill become ours. So nobody is left to
  // see a child die and to report that as an ordinary end, as after the crash of a whole machine.
  while (Reap()) {
    KillChildren();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::_exit(0);
}

}  // namespace

ProcessTree::ProcessTree(const std::string& command, const std::filesystem::path& log) {
  const pid_t parent = ::getpid();
  // Blocked before the keeper starts, so that it cannot miss either.
  sigset_t awaited, before;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  FLARE_CHECK(::pthread_sigmask(SIG_BLOCK, &awaited, &before) == 0);
  keeper_ = ::fork();
  if (keeper_ == 0) Keep(command, log, parent, awaited, before);
  FLARE_CHECK(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  FLARE_CHECK(keeper_ > 0);
}

bool ProcessTree::Running() {
  if (keeper_ != 0 && ::waitpid(keeper_, nullptr, WNOHANG) == keeper_) keeper_ = 0;
  return keeper_ != 0;
}

ProcessTree::~ProcessTree() {
  if (keeper_ == 0) return;
  ::kill(keeper_, SIGTERM);
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace flare
