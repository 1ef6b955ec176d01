// Safetensors: models and checkpoints. What is accepted is the same when it is written and read
// again.

#include "flare/base/error.h"
#include "flare/base/sha256.h"
#include "flare/nn/model_file.h"
#include "flare/nn/optimizer.h"
#include "flare/nn/safetensors.h"
#include "flare/training/checkpoint.h"
#include "target.h"

namespace flare {
namespace {

// As small as a model gets: the seeds hold its parameters.
const ModelConfig kSmall{.architecture = "rnn", .vocabulary = 2, .layers = 1, .hidden = 2};

bool operator==(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.shape == b.shape && a.bytes == b.bytes;
}

void ReadTensors(std::string_view bytes, TensorFile& file) {
  file = ParseSafetensors(bytes, "file");
  const TensorFile again = ParseSafetensors(FormatSafetensors(file), "");
  FLARE_CHECK(again.metadata == file.metadata);
  FLARE_CHECK(again.tensors.size() == file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) FLARE_CHECK(again.tensors.at(name) == tensor);
}

void ReadModel(const TensorFile& file) {
  ConfigOfTensors(file, "file");
  Model model(kSmall);
  LoadParameters(file, "file", model);
}

// A checkpoint's hash is made right, since no mutation would find it.
void ReadCheckpoint(TensorFile file) {
  file.metadata.erase("sha256");
  file.metadata["sha256"] = Sha256(FormatSafetensors(file));
  Model model(kSmall);
  Optimizer adam(model.parameters(), OptimizerConfig{});
  BestParameters best;
  const TrainingProgress progress =
      ParseCheckpoint(FormatSafetensors(file), "file", model, adam, best);
  const std::string written = FormatCheckpoint(progress, model, adam, best);
  const TrainingProgress again = ParseCheckpoint(written, "", model, adam, best);
  FLARE_CHECK(FormatCheckpoint(again, model, adam, best) == written);
}

}  // namespace

void FuzzTensors(std::string_view bytes) {
  TensorFile file;
  if (!Accepts([&] { ReadTensors(bytes, file); })) return;
  Accepts([&] { ReadModel(file); });
  Accepts([&] { ReadCheckpoint(file); });
}

}  // namespace flare
