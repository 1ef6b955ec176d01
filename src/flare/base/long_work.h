// Long work: on several threads, with its progress told, and with an end that its caller may ask
// for.

#ifndef FLARE_BASE_LONG_WORK_H_
#define FLARE_BASE_LONG_WORK_H_

#include <signal.h>

#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace flare {

// Calls work(0), ..., work(count - 1), each once, on up to `jobs` threads, the caller's among them.
// On a failure the calls that have begun are finished, no other is begun, and the first exception
// is thrown.
void ForEachInParallel(std::size_t count, std::size_t jobs,
                       const std::function<void(std::size_t)>& work);

// Receives the progress of long work, which libraries report and never print: their caller decides
// what becomes of it. This one ignores it; the command line draws a bar (cli/terminal.h).
// Threads may call it at the same time.
class ProgressObserver {
 public:
  virtual ~ProgressObserver() = default;

  // `unit` is what is counted: "languages".
  virtual void Begin([[maybe_unused]] std::size_t total, [[maybe_unused]] const std::string& unit) {
  }
  // One more is done. `line` says which, or is empty.
  virtual void Step([[maybe_unused]] const std::string& line) {}
  // Something a person should read.
  virtual void Say([[maybe_unused]] const std::string& line) {}
  // The work is done, or failed.
  virtual void End() {}
};

// Work of many pieces, which lasts as long as this object.
class Progress {
 public:
  Progress(ProgressObserver& observer, std::size_t total, const std::string& unit)
      : observer_(observer) {
    observer.Begin(total, unit);
  }
  ~Progress() { observer_.End(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step(const std::string& line) { observer_.Step(line); }
  void Say(const std::string& line) { observer_.Say(line); }

 private:
  ProgressObserver& observer_;
};

// Lets the caller of a library end its long work: loops that may take a while call a check once per
// string or so, if the caller has set one. Python does, for Ctrl-C.
class Interruption {
 public:
  // While it lives, `check` is called by the loops of this thread. It throws to end them.
  explicit Interruption(std::function<void()> check)
      : check_(std::move(check)), before_(std::exchange(current_, this)) {}
  ~Interruption() { current_ = before_; }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static void Check() {
    if (current_ != nullptr) current_->check_();
  }

 private:
  std::function<void()> check_;
  Interruption* before_;
  static inline thread_local Interruption* current_ = nullptr;
};

// Notes the signals that ask for an orderly stop: SIGINT, SIGTERM, SIGHUP (a terminal that was
// closed), and SIGUSR1 (which clusters send before a time limit).
//
// While it lives, those signals are noted instead of ending the process, unless they are ignored
// already (nohup). A second SIGINT ends the process at once: somebody is waiting at a terminal. At
// most one object at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // "SIGTERM", or empty if none has come.
  std::string Received() const;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
  struct sigaction saved_[4];
};

}  // namespace flare

#endif  // FLARE_BASE_LONG_WORK_H_
