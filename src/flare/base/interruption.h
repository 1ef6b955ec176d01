// Lets the caller of a library end its long work: loops that may take a while call a check once per
// string or so, if the caller has set one. Python does, for Ctrl-C.

#ifndef FLARE_BASE_INTERRUPTION_H_
#define FLARE_BASE_INTERRUPTION_H_

#include <signal.h>

#include <csignal>
#include <functional>
#include <string>
#include <utility>

namespace flare {

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

#endif  // FLARE_BASE_INTERRUPTION_H_
