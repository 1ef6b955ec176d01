#include "flare/training/trained_model.h"

#include <filesystem>
#include <string>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/nn/model_file.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/safetensors.h"
#include "flare/nn/target.h"
#include "flare/training/make_settings.h"

namespace flare {
namespace fs = std::filesystem;

namespace {

// The model of the plan, whose parameters the file has. How many states a loss with state tracking
// tells apart is in the file: the dataset may be gone.
ModelConfig ConfigFor(const RunPlan& plan, const TensorFile& tensors) {
  return ModelOf(plan.settings, plan.data.alphabet.size(), NumStatesOf(tensors));
}

TrainedModel LoadBestSoFar(const RunDirectory& run, const RunPlan& plan) {
  SavedState state = LoadCheckpoint(run, plan);
  if (!state.progress.best) {
    throw InputError(run.path(), "the run has no model yet: it has not reached a checkpoint");
  }
  state.model->parameters().values() = state.best;
  state.model->ParametersChanged();
  return {std::move(state.model), state.progress.best->epoch};
}

TrainedModel LoadFinished(const RunDirectory& run, const RunPlan& plan) {
  const RunResult result = run.ReadResult();
  if (!fs::exists(run.model()) && result.diverged) {
    throw InputError(run.path(), "the run diverged before its first checkpoint: it has no model");
  }
  const std::string bytes = ReadRegularFile(run.model());
  if (result.model_sha256 != Sha256(bytes)) {
    throw InputError(run.model(), "is not the file that the run wrote: its SHA-256 differs");
  }
  const TensorFile tensors = ParseSafetensors(bytes, run.model());
  const ModelConfig config = ConfigFor(plan, tensors);
  CheckHoldsModel(tensors, run.model(), config);
  auto model = std::make_unique<Model>(config, ParseTarget(plan.settings.target));
  LoadParameters(tensors, run.model(), *model);
  return {std::move(model), std::nullopt};
}

}  // namespace

SavedState LoadCheckpoint(const RunDirectory& run, const RunPlan& plan) {
  const std::string bytes = ReadRegularFile(run.checkpoint());
  const TensorFile tensors = ParseSafetensors(bytes, run.checkpoint());
  const ModelConfig config = ConfigFor(plan, tensors);
  CheckHoldsModel(tensors, run.checkpoint(), config);
  SavedState state{.model = std::make_unique<Model>(config, ParseTarget(plan.settings.target)),
                   .progress = {},
                   .best = {}};
  Optimizer optimizer(state.model->parameters(), OptimizerOf(plan.settings));
  state.progress = ParseCheckpoint(bytes, run.checkpoint(), *state.model, optimizer, state.best);
  CheckIsOfRun(state.progress, plan, run.checkpoint());
  return state;
}

TrainedModel LoadModel(const RunDirectory& run, const RunPlan& plan) {
  // It may be finished at any moment, and its checkpoint gone.
  if (!run.is_finished() && (fs::exists(run.checkpoint()) || !run.is_finished())) {
    return LoadBestSoFar(run, plan);
  }
  return LoadFinished(run, plan);
}

}  // namespace flare
