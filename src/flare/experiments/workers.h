// Works through a sweep: claims runs, trains each in a process of its own, until none is left.
// Several of these, on one machine or many, share a sweep; a claim is the run's lock.

#ifndef FLARE_EXPERIMENTS_WORKERS_H_
#define FLARE_EXPERIMENTS_WORKERS_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "flare/base/clock.h"
#include "flare/experiments/sweep_status.h"
#include "flare/runs/grid.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/measure.h"

namespace flare {

// The sweep as a worker sees it now.
struct SweepView {
  std::size_t runs = 0;  // all that match the filter
  std::size_t finished = 0, failed = 0, damaged = 0, left = 0;
  std::size_t held = 0;  // by others
  struct Running {
    std::string run;
    double seconds = 0;
  };
  std::vector<Running> running;    // by this one
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
  std::map<std::string, double> known;  // runs that are done elsewhere, and how long they took
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
