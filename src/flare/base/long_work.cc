#include "flare/base/long_work.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace flare {

void ForEachInParallel(std::size_t count, std::size_t jobs,
                       const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto run = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(jobs, count); ++i) others.emplace_back(run);
    run();
  }
  if (first_error) std::rethrow_exception(first_error);
}

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
