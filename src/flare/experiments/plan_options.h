// How a sweep is planned (sweep_directory.h).

#ifndef FLARE_EXPERIMENTS_PLAN_OPTIONS_H_
#define FLARE_EXPERIMENTS_PLAN_OPTIONS_H_

#include <cstddef>
#include <string>

#include "flare/base/wait_for_lock.h"
#include "flare/nn/default_target.h"

namespace flare {

struct PlanOptions {
  std::size_t jobs = 1;
  bool extend = false;
  bool repair = false;  // make again what is missing or has changed in datasets that we made
  // Of a sweep that was planned before: data of a language that is not as it was is only told.
  bool may_wait_for_data = false;
  LockWait wait = {};  // if another process is planning this sweep, or making its data
  // Of the runs of a new sweep whose grid names none. They keep it, whoever works on them.
  std::string target = DefaultTarget();
};

// Thrown if `wait` was stopped.
struct PlanningStopped {};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_PLAN_OPTIONS_H_
