#include "flare/base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "flare/base/error.h"

namespace flare {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw IoError("a pipe", "create", errno);
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  void CloseWriting() {
    ::close(ends[1]);
    ends[1] = -1;
  }
};

// Both at once, so that neither fills up while the other is read.
void ReadBoth(const Pipe& first, std::string& to_first, const Pipe& second,
              std::string& to_second) {
  std::array<pollfd, 2> polls{pollfd{first.ends[0], POLLIN, 0}, pollfd{second.ends[0], POLLIN, 0}};
  std::array<std::string*, 2> targets{&to_first, &to_second};
  std::array<char, 4096> buffer;
  for (int open = 2; open > 0;) {
    if (::poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].fd < 0 || polls[i].revents == 0) continue;
      const ssize_t count = ::read(polls[i].fd, buffer.data(), buffer.size());
      if (count > 0) {
        targets[i]->append(buffer.data(), static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        polls[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

std::optional<SubprocessResult> RunProgram(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  Pipe output, errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return std::nullopt;
  if (failed != 0) throw IoError(arguments[0], "start", failed);
  output.CloseWriting();
  errors.CloseWriting();
  SubprocessResult result;
  ReadBoth(output, result.output, errors, result.errors);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace flare
