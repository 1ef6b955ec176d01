// Loads the model of a run for evaluate and predict.

#ifndef FLARE_CLI_LOAD_MODEL_H_
#define FLARE_CLI_LOAD_MODEL_H_

#include <memory>

#include "flare/nn/model.h"
#include "flare/training/run.h"

namespace flare {

// Prints a note if the run is not finished. Throws InputError.
std::unique_ptr<Model> LoadAndTell(const RunDirectory& run, const RunPlan& plan);

}  // namespace flare

#endif  // FLARE_CLI_LOAD_MODEL_H_
