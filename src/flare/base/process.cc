#include "flare/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/system.h"
#include "flare/base/text.h"

#ifndef __linux__
extern char** environ;  // POSIX leaves it to the program to declare it
#endif

namespace flare {
namespace {

constexpr std::size_t kMostLastWords = 2'000;
#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;  // OpenSocketPair has turned the signal off
#endif

constexpr std::size_t kLongestAnswer = std::size_t{1} << 26;

void CloseIfOpen(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

struct Pipe {
  int reading = -1, writing = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (!OpenPipe(ends)) throw IoError("a pipe", "create", errno);
    reading = ends[0];
    writing = ends[1];
  }
  ~Pipe() {
    CloseIfOpen(reading);
    CloseIfOpen(writing);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

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
// Returns only if the program cannot be executed; errno says why. `programs` are the files that it
// may be, the first that is there is it. Unlike execvp, a file that the system cannot execute is
// not given to a shell, which would make nonsense of a script in another language.
void Become(pid_t parent, const Process::Options& options, std::span<const std::string> programs,
            char** arguments, char** environment) {
  if (options.own_group) {
    ::setpgid(0, 0);
    EndWithParent(SIGKILL);
    if (::getppid() != parent) ::_exit(127);
  }
  const int input = options.input >= 0 ? options.input : ::open("/dev/null", O_RDONLY);
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0) return;
  if (options.output >= 0 && ::dup2(options.output, STDOUT_FILENO) < 0) return;
  if (options.errors >= 0 && ::dup2(options.errors, STDERR_FILENO) < 0) return;
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int refused = ENOENT;
  for (const std::string& program : programs) {
    ::execve(program.c_str(), arguments, environment);
    if (errno == EACCES || (errno == ENOTDIR && programs.size() == 1)) refused = errno;
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) return;
  }
  errno = refused;
}

// The files that a name may mean: itself if it names a folder, else those of that name on the PATH.
std::vector<std::string> ProgramsNamed(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  const char* variable = ::getenv("PATH");
  const std::string_view path = variable != nullptr ? variable : "/bin:/usr/bin";
  std::vector<std::string> programs;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder(path.substr(begin, end - begin));
    programs.push_back(folder.empty() ? name : folder + "/" + name);
    begin = end + 1;
  }
  return programs;
}

int CodeOf(int status) {
  return WIFSIGNALED(status) ? Process::kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads both at once, so that neither fills up while the other is read.
void ReadBoth(int first, std::string& to_first, int second, std::string& to_second) {
  std::array<pollfd, 2> polls{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
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

Process::Process(const std::vector<std::string>& arguments, const Options& options)
    : own_group_(options.own_group) {
  const std::vector<std::string> variables = EnvironmentWith(options.environment);
  const std::vector<std::string> programs = ProgramsNamed(arguments[0]);
  std::vector<char*> argv = Pointers(arguments), envp = Pointers(variables);
  Pipe verdict;  // closed when the program is executed; otherwise it carries the reason
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    Become(parent, options, programs, argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told = ::write(verdict.writing, &error, sizeof error);
    ::_exit(127);
  }
  if (pid_ < 0) throw IoError(arguments[0], "start", errno);
  CloseIfOpen(verdict.writing);
  int error = 0;
  ssize_t count = 0;
  do {
    count = ::read(verdict.reading, &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return;
  Wait();
  if (error == ENOENT) throw InputError(arguments[0], "no such program");
  if (error == EACCES || error == ENOEXEC || error == ENOTDIR) {
    throw InputError(arguments[0], fmt::format("cannot be run: {}", std::strerror(error)),
                     error == ENOEXEC ? "a script begins with a line such as #!/usr/bin/env python3"
                                      : "expected an executable file; chmod +x makes a script one");
  }
  throw IoError(arguments[0], "execute", error);
}

Process::Process(const std::function<int()>& work) {
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw IoError("a copy of this process", "start", errno);
  if (pid_ > 0) return;
  EndWithParent(SIGTERM);
  // If the parent ended before this call, no signal will come, and nobody reads the code.
  const int code = ::getppid() == parent ? work() : 0;
  std::fflush(nullptr);
  ::_exit(code);
}

Process::~Process() {
  if (exit_code_) return;
  Signal(SIGKILL);
  Wait();
}

std::optional<int> Process::Poll() {
  if (exit_code_) return exit_code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  exit_code_ = CodeOf(status);
  return exit_code_;
}

int Process::Wait() {
  int status = 0;
  while (!exit_code_) {
    const pid_t ended = ::waitpid(pid_, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    exit_code_ = CodeOf(status);
  }
  return *exit_code_;
}

bool Process::EndsWithin(double seconds) {
  const Stopwatch watch;
  while (!Poll()) {
    if (watch.Seconds() > seconds) return false;
    const timespec moment{0, 5'000'000};
    ::nanosleep(&moment, nullptr);
  }
  return true;
}

void Process::Signal(int signal) const { ::kill(own_group_ ? -pid_ : pid_, signal); }

std::unique_ptr<Process> StartLogged(const std::vector<std::string>& arguments,
                                     std::vector<std::pair<std::string, std::string>> environment,
                                     const std::string& log) {
  int file = OpenFile(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0) throw IoError(log, "open", errno);
  try {
    auto process =
        std::make_unique<Process>(arguments, Process::Options{.output = file,
                                                              .errors = file,
                                                              .environment = std::move(environment),
                                                              .own_group = true});
    CloseIfOpen(file);
    return process;
  } catch (...) {
    CloseIfOpen(file);
    throw;
  }
}

std::optional<ProgramResult> RunProgram(const std::vector<std::string>& arguments) {
  Pipe output, errors;
  std::optional<Process> process;
  try {
    process.emplace(arguments,
                    Process::Options{.output = output.writing, .errors = errors.writing});
  } catch (const InputError&) {
    return std::nullopt;
  }
  CloseIfOpen(output.writing);
  CloseIfOpen(errors.writing);
  ProgramResult result;
  ReadBoth(output.reading, result.output, errors.reading, result.errors);
  result.exit_code = process->Wait();
  return result;
}

Conversation::Conversation(const std::string& program) : program_(program) {
  // A socket and not pipes: writing to a program that has ended must not raise a signal.
  std::array<int, 2> sockets{-1, -1};
  Pipe errors;
  if (!OpenSocketPair(sockets)) throw IoError("a socket", "create", errno);
  try {
    process_ = std::make_unique<Process>(
        std::vector{program},
        Process::Options{.input = sockets[1], .output = sockets[1], .errors = errors.writing});
  } catch (...) {
    for (int& socket : sockets) CloseIfOpen(socket);
    throw;
  }
  CloseIfOpen(sockets[1]);
  talk_ = sockets[0];
  errors_ = std::exchange(errors.reading, -1);
  ::fcntl(errors_, F_SETFL, O_NONBLOCK);
}

Conversation::~Conversation() {
  CloseIfOpen(talk_);
  CloseIfOpen(errors_);
  process_->EndsWithin(1);
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
          ::send(talk_, line.data() + sent, line.size() - sent, kNoSignal | MSG_DONTWAIT);
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
    if (count < 0) return;  // there is nothing to read now
    if (count == 0) return CloseIfOpen(errors_);
    last_words_.append(buffer.data(), static_cast<std::size_t>(count));
    if (last_words_.size() > kMostLastWords) {
      last_words_.erase(0, last_words_.size() - kMostLastWords);
    }
  }
}

void Conversation::Fail(const std::string& what, const std::string& question) {
  // The process may have written errors that we have not read yet.
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

namespace {

// Returns nothing if the file cannot be read.
std::optional<std::string> ReadProc(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  std::array<char, 1024> buffer;
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
  std::string text(buffer.data(), count);
  std::fclose(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string ReadLink(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t count = ::readlink(path.c_str(), target.data(), target.size());
  return std::string(target.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
}

std::string Host() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string Boot(const std::string& proc) {
  // A /proc that a container got from another one says nothing about our pids.
  if (ReadLink(proc + "/self") != std::to_string(::getpid())) return "";
  const std::string id = ReadProc(proc + "/sys/kernel/random/boot_id").value_or("");
  const std::string pids = ReadLink(proc + "/self/ns/pid");
  if (id.empty() || pids.empty()) return "";
  // Start times are given in the reader's time namespace. The first one has this number.
  const std::string times = ReadLink(proc + "/self/ns/time");
  const bool is_first = times.empty() || times == "time:[4026531834]";
  return id + " " + pids + (is_first ? "" : " " + times);
}

struct Status {
  char state = 0;
  std::uint64_t start_time = 0;
};

std::optional<Status> ReadStatus(std::int64_t pid, const std::string& proc) {
  const auto text = ReadProc(proc + "/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  // The second field is a name in parentheses, which may contain anything.
  const std::size_t end = text->rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(text->substr(end + 1));
  Status status;
  std::string skipped;
  fields >> status.state;
  for (int i = 4; i < 22; ++i) fields >> skipped;
  if (!(fields >> status.start_time)) return std::nullopt;
  return status;
}

}  // namespace

ProcessIdentity OwnIdentity(const std::string& proc) {
  ProcessIdentity self{.host = Host(), .pid = ::getpid(), .start_time = 0, .boot = Boot(proc)};
  const auto status = ReadStatus(self.pid, proc);
  // A process that cannot say when it started cannot be recognized by that.
  if (status) self.start_time = status->start_time;
  if (!status) self.boot.clear();
  return self;
}

Life LookAtProcess(const ProcessIdentity& process, const std::string& proc) {
  const bool is_here =
      !process.boot.empty() && process.boot == Boot(proc) && process.host == Host();
  if (!is_here || process.pid <= 0) return Life::kUnknown;
  // The kernel always answers this, even where /proc hides other users' processes.
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return Life::kGone;
  const auto status = ReadStatus(process.pid, proc);
  if (!status) return Life::kUnknown;
  const bool is_it = status->start_time == process.start_time;
  return is_it && status->state != 'Z' && status->state != 'X' ? Life::kThere : Life::kGone;
}

}  // namespace flare
