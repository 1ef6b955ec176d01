// A worker of a sweep: it does one run after another, each in a process of its own, until none is
// left to do; and the table of what may happen to a run.

#ifndef FLARE_EXPERIMENTS_WORKERS_H_
#define FLARE_EXPERIMENTS_WORKERS_H_

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/base/error.h"
#include "flare/experiments/sweep_status.h"
#include "flare/runs/grid.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/measure.h"

namespace flare {

// A worker knows each run of its sweep by a phase, which changes only by the transitions below.
//
// A worker never looks again at a run in a final phase. Every other phase ends by an event that
// happens without the worker (a scan of the directory, the end of a process, the end of its
// patience), so that a worker that waits for a run never waits for itself.
enum class RunPhase {
  kOpen,       // nobody works on it: we may start it
  kOurs,       // one of our processes works on it
  kHeld,       // a live process of somebody else works on it
  kContested,  // somebody else may have it: the next scan decides
  kAwaiting,   // this machine lacks its data: the next scan tries it again
  kFinished,
  kFailed,   // failure.json says why
  kDamaged,  // its directory does not hold the run that belongs there
  kGivenUp,  // this machine killed it too often: it is left to others
};
inline constexpr int kRunPhases = 9;

enum class RunEvent {
  kStart,          // we start a process for it
  kRelease,        // our process stopped or was killed, and the run can be resumed
  kLoss,           // our process found that somebody else has the run
  kLack,           // the data of its language is away
  kStuck,          // our processes died too often without progress
  kSeenOpen,       // a look at the directory: no owner that lives
  kSeenHeld,       // ... an owner that lives
  kSeenUndecided,  // ... an owner elsewhere, not yet watched for long enough
  kResult,         // there is a result
  kFailure,        // there is a failure
  kDamage,         // its files are not those of the run
};
inline constexpr int kRunEvents = 11;

// A set of phases.
constexpr unsigned Phases(std::initializer_list<RunPhase> phases) {
  unsigned set = 0;
  for (const RunPhase phase : phases) set |= 1U << static_cast<int>(phase);
  return set;
}
inline constexpr unsigned kFinalPhases =
    Phases({RunPhase::kFinished, RunPhase::kFailed, RunPhase::kDamaged, RunPhase::kGivenUp});
inline constexpr unsigned kUnfinalPhases = ~kFinalPhases & ((1U << kRunPhases) - 1);

constexpr bool IsIn(RunPhase phase, unsigned phases) { return (phases & Phases({phase})) != 0; }

struct RunTransition {
  unsigned from;
  RunEvent event;
  RunPhase to;
};

inline constexpr std::array<RunTransition, kRunEvents> kRunTransitions = {{
    // Only an open run is started.
    {Phases({RunPhase::kOpen}), RunEvent::kStart, RunPhase::kOurs},
    // Any worker that is free resumes it from its checkpoint, possibly this one.
    {Phases({RunPhase::kOurs}), RunEvent::kRelease, RunPhase::kOpen},
    // We do not retry at once: somebody was faster, took us for dead, or removes locks.
    {Phases({RunPhase::kOurs}), RunEvent::kLoss, RunPhase::kContested},
    // One process finds out for all runs of the language.
    {Phases({RunPhase::kOurs, RunPhase::kOpen}), RunEvent::kLack, RunPhase::kAwaiting},
    // We do not wait for such a run, since nobody is known to work on it.
    {Phases({RunPhase::kOurs}), RunEvent::kStuck, RunPhase::kGivenUp},
    // The owner stopped or died, or it is time to try the data again.
    {kUnfinalPhases, RunEvent::kSeenOpen, RunPhase::kOpen},
    // A live worker keeps its run.
    {kUnfinalPhases, RunEvent::kSeenHeld, RunPhase::kHeld},
    // The heartbeat of its lock decides within two minutes.
    {kUnfinalPhases, RunEvent::kSeenUndecided, RunPhase::kContested},
    // Any worker may have finished it.
    {kUnfinalPhases, RunEvent::kResult, RunPhase::kFinished},
    // It stays failed until somebody says --retry-failed.
    {kUnfinalPhases, RunEvent::kFailure, RunPhase::kFailed},
    // It stays as it is until somebody removes or restores it.
    {kUnfinalPhases, RunEvent::kDamage, RunPhase::kDamaged},
}};

// Requires: the table has the pair.
constexpr RunPhase Next(RunPhase phase, RunEvent event) {
  for (const RunTransition& transition : kRunTransitions) {
    if (transition.event == event && IsIn(phase, transition.from)) return transition.to;
  }
  CheckFailed(__FILE__, __LINE__, "the run's phase has such an event");
}

// Works through a sweep: claims runs, trains each in a process of its own, until none is left.
// Several of these, on one machine or many, share a sweep; a claim is the run's lock.

// The sweep as a worker sees it now.
struct SweepView {
  std::size_t runs = 0;  // the runs that match the filter
  std::size_t finished = 0, failed = 0, damaged = 0, left = 0;
  std::size_t held = 0;  // runs that other workers hold
  struct Running {
    std::string run;
    double seconds = 0;
  };
  std::vector<Running> running;    // the runs of this worker
  double seconds_left = 0;         // estimated
  double examples_per_second = 0;  // of the runs that finished here, per core
};

struct WorkOptions {
  std::size_t jobs = 1;
  // Does the worker wait for runs that other live workers hold, or leave them to those?
  bool wait_for_others = false;
  bool retry_failed = false;
  double time_limit = std::numeric_limits<double>::infinity();
  RunFilter only;
  std::map<std::string, double> known;  // the seconds that runs took that were done elsewhere
  StopRequest stop;
  // Called when a run ends here: a line for people with its path and how it went.
  std::function<void(const std::string& line)> say;
  // Called in a run's process if the process ends for a reason that the run's files do not record.
  std::function<void(const std::string& line)> complain;
  // Called several times per second.
  std::function<void(const SweepView&)> show;
};

struct WorkEnd {
  std::string stopped;  // why, if it was asked to stop
  bool machine_failed = false;
  std::size_t finished = 0, failed = 0, damaged = 0;  // in all, as far as this worker knows
  std::size_t left = 0;
};

WorkEnd WorkThrough(const Sweep& sweep, const WorkOptions& options);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_WORKERS_H_
