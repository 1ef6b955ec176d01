#include "flare/base/interruption.h"

namespace flare {
namespace {

// A handler can reach nothing but a global.
volatile std::sig_atomic_t received = 0, interrupted = 0;

void Note(int signal) {
  if (signal == SIGINT && interrupted != 0) {
    ::signal(SIGINT, SIG_DFL);
    ::raise(SIGINT);
  }
  if (signal == SIGINT) interrupted = 1;
  received = signal;
}

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = Note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], nullptr, &saved_[i]);
    if (saved_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &saved_[i], nullptr);
  }
}

std::string StopSignals::Received() const {
  switch (received) {
    case 0:
      return "";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGTERM";
  }
}

}  // namespace flare
