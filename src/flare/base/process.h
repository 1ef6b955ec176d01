// Starts processes, watches them, asks them to stop, and leaves none behind. Other programs are
// looked up on the PATH, without a shell.

#ifndef FLARE_BASE_PROCESS_H_
#define FLARE_BASE_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flare {

class Process {
 public:
  struct Options {
    // File descriptors for its standard streams. Without one, it reads from /dev/null and writes
    // where we do.
    int input = -1, output = -1, errors = -1;
    // Variables that differ from our environment.
    std::vector<std::pair<std::string, std::string>> environment = {};
    // It gets a process group of its own, so that Ctrl-C reaches it through us alone, and the
    // kernel kills it when the thread that started it ends.
    bool own_group = false;
  };

  // Throws InputError if there is no such program or it cannot be executed, IoError for the
  // machine's faults.
  Process(const std::vector<std::string>& arguments, const Options& options);
  // Forks: a copy of this process calls `work` and ends with the code that it returns. The copy
  // gets SIGTERM when the thread that started it ends. Requires: no other thread of ours runs, and
  // `work` throws nothing. Throws IoError.
  explicit Process(const std::function<int()>& work);
  // Kills it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Its exit code, kSignalBase + the signal if one ended it; nothing while it runs.
  std::optional<int> Poll();
  int Wait();
  static constexpr int kSignalBase = 128;
  // Returns whether it ends within this time.
  bool EndsWithin(double seconds);
  // Sends a signal to it, and to its group if it has one of its own.
  void Signal(int signal) const;

 private:
  pid_t pid_;
  bool own_group_ = false;
  std::optional<int> exit_code_;
};

// Starts a program in a group of its own and appends what it prints to the file `log`.
std::unique_ptr<Process> StartLogged(const std::vector<std::string>& arguments,
                                     std::vector<std::pair<std::string, std::string>> environment,
                                     const std::string& log);

struct ProgramResult {
  int exit_code = 0;
  std::string output, errors;
};

// Runs a program to its end. Nothing if there is no such program. Throws IoError.
std::optional<ProgramResult> RunProgram(const std::vector<std::string>& arguments);

// A program that is started once and answers line by line. Not for several threads at a time.
//
//   Conversation program("./oracle");
//   program.Ask("contains a b");   // the line that it answers
class Conversation {
 public:
  // The longest time that we wait for an answer.
  static constexpr int kMostSeconds = 60;

  // Throws InputError if there is no such program or it cannot be run, IoError for the machine's
  // faults.
  explicit Conversation(const std::string& program);
  // Closes its input and waits a moment; if it has not ended by then, it is killed.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Sends a line and returns the line that comes back, both without their ends. Throws InputError,
  // with the last of what the program wrote to its standard error, if it ends, says nothing, or has
  // said something without being asked: all later answers would belong to other questions.
  // Requires: no newline in the question.
  std::string Ask(const std::string& question);

 private:
  // Reads what has arrived, without waiting. Returns false if nothing more will come.
  bool Receive();
  // Reads what the program has written to its standard error so far.
  void ReadErrors();
  [[noreturn]] void Fail(const std::string& what, const std::string& question);

  std::string program_;
  int talk_ = -1;         // the program's standard input and output
  int errors_ = -1;       // the program's standard error
  std::string received_;  // bytes that follow the last answer
  std::string last_words_;
  std::unique_ptr<Process> process_;
};

// Which process it is, and whether it is alive: what a lock says about its owner.
struct ProcessIdentity {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  // when it started, in clock ticks since boot
  // The scope in which pids and start times are unique: boot id, pid namespace and, unless it is
  // the first, time namespace. Empty if the kernel does not say.
  std::string boot;
};

// `proc` is where the kernel describes processes.
ProcessIdentity OwnIdentity(const std::string& proc = "/proc");

enum class Life {
  kThere,
  kGone,
  kUnknown,  // it is elsewhere, or we are not allowed to look
};

Life LookAtProcess(const ProcessIdentity& process, const std::string& proc = "/proc");

}  // namespace flare

#endif  // FLARE_BASE_PROCESS_H_
