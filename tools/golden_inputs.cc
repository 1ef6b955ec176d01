// Writes the inputs of the PyTorch golden files (`make golden`): small models with our initial
// weights, and a batch each. tools/torch_golden.py adds what PyTorch makes of them.
//
//   golden_inputs DIR

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/base/file.h"
#include "flare/base/rng.h"
#include "flare/nn/model.h"
#include "flare/nn/model_file.h"
#include "flare/nn/safetensors.h"
#include "support/variants.h"

namespace flare {
namespace {

struct GoldenCase {
  std::string name;
  ModelConfig config;
  std::map<std::string, double> coefficients;  // by term, 0 for those that are not in the loss
};

std::vector<GoldenCase> Cases() {
  std::vector<GoldenCase> cases;
  for (const ArchitectureVariant& variant : ArchitectureVariants()) {
    if (variant.options.empty()) {
      cases.push_back({fmt::format("{}-rec", variant.architecture),
                       variant.Config(3, 2, 11),
                       {{"lm", 0}, {"ns", 0}}});
    }
    cases.push_back({fmt::format("{}-rec+lm+ns",
                                 variant.options.empty() ? variant.architecture : variant.name()),
                     variant.Config(3, 2, 11, {"lm", "ns"}),
                     {{"lm", 0.7}, {"ns", 1.5}}});
  }
  cases.push_back({"lstm-rec+st",
                   {.architecture = "lstm",
                    .vocabulary = 3,
                    .layers = 2,
                    .hidden = 11,
                    .terms = {"st"},
                    .states = 5},
                   {{"lm", 0}, {"ns", 0}, {"st", 0.9}}});
  return cases;
}

std::string MakeInput(const GoldenCase& c) {
  Model model(c.config);
  model.Initialize(11);
  TensorFile file = ModelToTensors(model);
  for (const auto& [term, coefficient] : c.coefficients) {
    file.metadata[term + "_coefficient"] = fmt::format("{}", coefficient);
  }
  file.metadata["learning_rate"] = "0.001";
  file.metadata["steps"] = "5";

  Rng rng = Rng::For(3, "golden/" + c.name);
  std::vector<std::int32_t> tokens, offsets{0};
  std::vector<std::int32_t> states;
  std::vector<std::uint8_t> labels, sets;
  const std::size_t outputs = c.config.vocabulary + 1;
  for (const std::size_t length : {4u, 0u, 7u, 1u, 7u, 3u, 0u, 12u}) {
    for (std::size_t t = 0; t < length; ++t) {
      tokens.push_back(static_cast<std::int32_t>(rng.UniformInt(c.config.vocabulary)));
    }
    offsets.push_back(static_cast<std::int32_t>(tokens.size()));
    labels.push_back(labels.size() % 3 != 1 ? 1 : 0);
    for (std::size_t t = 0; c.coefficients.contains("st") && t <= length; ++t) {
      states.push_back(static_cast<std::int32_t>(rng.UniformInt(c.config.states)));
    }
    if (labels.back() == 0) continue;
    for (std::size_t i = 0; i < (length + 1) * outputs; ++i) sets.push_back(rng.Bit() ? 1 : 0);
  }
  file.tensors["batch.tokens"] = Tensor::Of(tokens, {tokens.size()});
  file.tensors["batch.offsets"] = Tensor::Of(offsets, {offsets.size()});
  file.tensors["batch.labels"] = Tensor::Of(labels, {labels.size()});
  if (c.coefficients.at("ns") != 0) {
    file.tensors["batch.next_symbols"] = Tensor::Of(sets, {sets.size() / outputs, outputs});
  }
  if (!states.empty()) file.tensors["batch.states"] = Tensor::Of(states, {states.size()});
  return FormatSafetensors(file);
}

}  // namespace
}  // namespace flare

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::filesystem::create_directories(argv[1]);
  for (const auto& c : flare::Cases()) {
    flare::WriteFileAtomically(fmt::format("{}/{}.safetensors", argv[1], c.name),
                               flare::MakeInput(c));
  }
}
