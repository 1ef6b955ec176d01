#include "flare/cli/load_model.h"

#include "flare/cli/tell.h"
#include "flare/training/checkpoint.h"

namespace flare {

std::unique_ptr<Model> LoadAndTell(const RunDirectory& run, const RunPlan& plan) {
  TrainedModel trained = LoadModel(run, plan);
  if (trained.best_so_far) {
    Tell("flare: {}: not finished; using its best checkpoint so far, of epoch {}\n",
         run.path().string(), *trained.best_so_far);
  }
  return std::move(trained.model);
}

}  // namespace flare
