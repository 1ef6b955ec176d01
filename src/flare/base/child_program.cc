#include "flare/base/child_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "flare/base/error.h"
#include "flare/base/file.h"

namespace flare {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& changed) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const bool kept = std::none_of(changed.begin(), changed.end(), [&](const auto& change) {
      return text.starts_with(change.first + "=");
    });
    if (kept) variables.emplace_back(text);
  }
  for (const auto& [name, value] : changed) variables.push_back(name + "=" + value);
  return variables;
}

// Runs in the new process, where only system calls are safe, since we may have had other threads.
// Returns only if the program cannot be executed; errno says why.
void Become(pid_t parent, int log, char** arguments, char** environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(log, STDOUT_FILENO) < 0 ||
      ::dup2(log, STDERR_FILENO) < 0) {
    return;
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(arguments[0], arguments, environment);
}

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& arguments,
                           const std::vector<std::pair<std::string, std::string>>& environment,
                           const std::string& log) {
  const std::vector<std::string> variables = EnvironmentWith(environment);
  std::vector<char*> argv = Pointers(arguments), envp = Pointers(variables);
  const int log_file = OpenFile(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (log_file < 0) throw IoError(log, "open", errno);
  // Closed when the program is executed; otherwise it carries the reason.
  int verdict[2];
  if (::pipe2(verdict, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(log_file);
    throw IoError("a pipe", "create", error);
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    Become(parent, log_file, argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told = ::write(verdict[1], &error, sizeof error);
    ::_exit(127);
  }
  int error = errno;
  ::close(log_file);
  ::close(verdict[1]);
  if (pid_ < 0) {
    ::close(verdict[0]);
    throw IoError(arguments[0], "start", error);
  }
  ssize_t count = 0;
  do {
    count = ::read(verdict[0], &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  ::close(verdict[0]);
  if (count <= 0) return;
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  exit_code_ = 127;
  if (error == ENOENT) throw InputError(arguments[0], "no such program");
  throw IoError(arguments[0], "execute", error);
}

ChildProgram::~ChildProgram() {
  if (exit_code_) return;
  Signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> ChildProgram::Poll() {
  if (exit_code_) return exit_code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

void ChildProgram::Signal(int signal) const { ::kill(-pid_, signal); }

}  // namespace flare
