// Signals that ask for an orderly stop: SIGINT, SIGTERM, SIGHUP (a terminal that was closed), and
// SIGUSR1 (which clusters send before a time limit).

#ifndef FLARE_BASE_STOP_SIGNALS_H_
#define FLARE_BASE_STOP_SIGNALS_H_

#include <csignal>
#include <string>

namespace flare {

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

#endif  // FLARE_BASE_STOP_SIGNALS_H_
