#include "flare/base/conversation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr std::size_t kMostLastWords = 2'000;
constexpr std::size_t kLongestAnswer = std::size_t{1} << 26;

// Waits up to this many seconds for the process; true if it has ended.
bool EndsWithin(pid_t pid, double seconds) {
  const Stopwatch watch;
  while (true) {
    const pid_t ended = ::waitpid(pid, nullptr, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    if (watch.Seconds() > seconds) return false;
    const timespec moment{0, 5'000'000};
    ::nanosleep(&moment, nullptr);
  }
}

void CloseIfOpen(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

Conversation::Conversation(const std::string& program) : program_(program) {
  // A socket and not pipes: writing to a program that has ended must not raise a signal.
  std::array<int, 2> sockets{-1, -1}, pipes{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    throw IoError("a socket", "create", errno);
  }
  talk_ = sockets[0];
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    CloseIfOpen(talk_);
    ::close(sockets[1]);
    throw IoError("a pipe", "create", error);
  }
  errors_ = pipes[0];
  ::fcntl(errors_, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
  char* argv[] = {program_.data(), nullptr};
  const int failed = ::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(sockets[1]);
  ::close(pipes[1]);
  if (failed == 0) return;
  pid_ = -1;
  CloseIfOpen(talk_);
  CloseIfOpen(errors_);
  if (failed == ENOENT || failed == EACCES || failed == ENOEXEC || failed == ENOTDIR) {
    throw InputError(program_, fmt::format("cannot be run: {}", std::strerror(failed)),
                     "expected an executable file; chmod +x makes a script one");
  }
  throw IoError(program_, "start", failed);
}

Conversation::~Conversation() {
  CloseIfOpen(talk_);
  CloseIfOpen(errors_);
  if (pid_ < 0 || EndsWithin(pid_, 1)) return;
  ::kill(pid_, SIGKILL);
  EndsWithin(pid_, 1);
}

std::string Conversation::Ask(const std::string& question) {
  const Stopwatch watch;
  const std::string line = question + "\n";
  if (received_.empty()) Receive();
  if (!received_.empty()) {
    const std::string said = received_.substr(0, received_.find('\n'));
    Fail(fmt::format("says {} without being asked", Quoted(said)), question);
  }
  std::size_t sent = 0, searched = 0;
  while (true) {
    if (const std::size_t end = received_.find('\n', searched); end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    searched = received_.size();
    if (searched > kLongestAnswer) Fail("answers without an end of line", question);
    // A program may write while it is still being asked.
    std::array<pollfd, 2> polls{
        pollfd{talk_, static_cast<short>(sent < line.size() ? POLLIN | POLLOUT : POLLIN), 0},
        pollfd{errors_, POLLIN, 0}};
    const double left = kMostSeconds - watch.Seconds();
    if (left <= 0) {
      Fail(fmt::format("has not answered for {} seconds", kMostSeconds), question);
    }
    const int milliseconds = static_cast<int>(left * 1000) + 1;
    if (::poll(polls.data(), polls.size(), milliseconds) < 0 && errno != EINTR) {
      throw IoError(program_, "wait for", errno);
    }
    if ((polls[1].revents & (POLLIN | POLLHUP)) != 0) ReadErrors();
    if ((polls[0].revents & POLLOUT) != 0 && sent < line.size()) {
      const ssize_t count =
          ::send(talk_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
    if ((polls[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !Receive()) {
      Fail("has ended", question);
    }
  }
}

bool Conversation::Receive() {
  std::array<char, 65536> buffer;
  const ssize_t count = ::recv(talk_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) received_.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

void Conversation::ReadErrors() {
  std::array<char, 4096> buffer;
  while (errors_ >= 0) {
    const ssize_t count = ::read(errors_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;  // nothing more for now
    if (count == 0) return CloseIfOpen(errors_);
    last_words_.append(buffer.data(), static_cast<std::size_t>(count));
    if (last_words_.size() > kMostLastWords) {
      last_words_.erase(0, last_words_.size() - kMostLastWords);
    }
  }
}

void Conversation::Fail(const std::string& what, const std::string& question) {
  // What it wrote before it ended may still be on its way.
  if (errors_ >= 0) {
    pollfd poll_errors{errors_, POLLIN, 0};
    ::poll(&poll_errors, 1, 200);
    ReadErrors();
  }
  const std::size_t end = last_words_.find_last_not_of(" \n\r\t");
  const std::string words = end == std::string::npos ? "" : last_words_.substr(0, end + 1);
  throw InputError(program_, fmt::format("{}; it was asked {}", what, Quoted(question)),
                   words.empty() ? "" : "its last words: " + words);
}

}  // namespace flare
