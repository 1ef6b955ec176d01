// A model's parameters as tensors, with PyTorch's names and shapes; padding never reaches a file.

#ifndef FLARE_NN_MODEL_FILE_H_
#define FLARE_NN_MODEL_FILE_H_

#include <string>

#include "flare/nn/model.h"
#include "flare/nn/safetensors.h"

namespace flare {

// Configuration as metadata, parameters as tensors.
TensorFile ModelToTensors(const Model& model);

// The configuration of a model's file. Throws InputError naming `file`.
ModelConfig ConfigOfTensors(const TensorFile& tensors, const std::string& file);

// Returns the number of states of its head for state tracking; 1 if it has none.
std::size_t NumStatesOf(const TensorFile& tensors);

// Throws InputError if the file is too small for a model of this configuration. To be called before
// the model is made, which takes memory for all of its parameters.
void CheckHoldsModel(const TensorFile& tensors, const std::string& file, const ModelConfig& config);

// Sets the model's parameters. Throws InputError if one is missing or has another shape or type;
// the model is then unchanged. Tensors that the model does not have are ignored: a checkpoint keeps
// its optimizer next to them.
void LoadParameters(const TensorFile& tensors, const std::string& file, Model& model);

}  // namespace flare

#endif  // FLARE_NN_MODEL_FILE_H_
