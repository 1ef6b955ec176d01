// What is known about a run of a sweep.

#ifndef FLARE_RUNS_RUN_STATE_H_
#define FLARE_RUNS_RUN_STATE_H_

#include <string>

namespace flare {

enum class RunState {
  kLeft,     // to be done, begun or not
  kRunning,  // somebody holds it
  kFailed,
  kFinished,
  kDiverged,  // ended by a loss that is not a finite number
  kDamaged,   // its files cannot be read, or are those of another run
};

// "left", "running", "failed", "finished", "diverged", "damaged".
std::string Name(RunState state);

}  // namespace flare

#endif  // FLARE_RUNS_RUN_STATE_H_
