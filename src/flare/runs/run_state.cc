#include "flare/runs/run_state.h"

namespace flare {

std::string Name(RunState state) {
  switch (state) {
    case RunState::kLeft:
      return "left";
    case RunState::kRunning:
      return "running";
    case RunState::kFailed:
      return "failed";
    case RunState::kFinished:
      return "finished";
    case RunState::kDiverged:
      return "diverged";
    case RunState::kDamaged:
      return "damaged";
  }
  __builtin_unreachable();
}

}  // namespace flare
