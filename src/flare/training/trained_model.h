// The recognizer that a run has trained, or has trained so far.

#ifndef FLARE_TRAINING_TRAINED_MODEL_H_
#define FLARE_TRAINING_TRAINED_MODEL_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "flare/nn/model.h"
#include "flare/runs/run_directory.h"
#include "flare/training/checkpoint.h"
#include "flare/training/run.h"

namespace flare {

struct TrainedModel {
  std::unique_ptr<Model> model;
  // The epoch of the best checkpoint so far, if the run is not finished.
  std::optional<std::size_t> best_so_far;
};

// What a checkpoint holds. LoadCheckpoint throws InputError if there is none, or if its model is
// not that of the plan.
struct SavedState {
  std::unique_ptr<Model> model;
  TrainingProgress progress;
  BestParameters best;
};
SavedState LoadCheckpoint(const RunDirectory& run, const RunPlan& plan);

// Works while somebody else trains the run. Throws InputError.
TrainedModel LoadModel(const RunDirectory& run, const RunPlan& plan);

}  // namespace flare

#endif  // FLARE_TRAINING_TRAINED_MODEL_H_
