#include "flare/nn/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/nn/architectures.h"

namespace flare {

namespace {

// Returns the metadata key that says whether a model has the term.
std::string HeadKey(const std::string& term) { return term + "_head"; }

}  // namespace

TensorFile ModelToTensors(const Model& model) {
  const ModelConfig& config = model.config();
  TensorFile file;
  file.metadata = {{"architecture", config.architecture},
                   {"vocabulary", std::to_string(config.vocabulary)},
                   {"layers", std::to_string(config.layers)},
                   {"hidden", std::to_string(config.hidden)},
                   // Version 0.1 says so of heads that are absent, too; it does not know those of
                   // later terms.
                   {HeadKey("lm"), "0"},
                   {HeadKey("ns"), "0"}};
  // Metadata is written only for what older versions did not have.
  if (!config.recognizes) file.metadata[HeadKey("rec")] = "0";
  if (config.reads_eos) file.metadata["readout"] = "eos";
  for (const std::string& term : config.terms) {
    file.metadata[HeadKey(term)] = "1";
    if (FindLossTerm(term)->needs_states) file.metadata["states"] = std::to_string(config.states);
  }
  // A value that a file without the option means is not written, so files do not change when
  // options are added.
  const Architecture& architecture = *FindArchitecture(config.architecture);
  const OptionTexts options = CompleteOptions(architecture, config.options, "");
  for (const Option& option : architecture.options) {
    const std::string& value = options.at(option.name);
    if (value != option.ValueIfAbsent()) file.metadata[option.name] = value;
  }
  for (std::size_t p = 0; p < model.parameters().specs().size(); ++p) {
    const ParameterSpec& spec = model.parameters().specs()[p];
    file.tensors[spec.name] = Tensor::Of(model.parameters().Get(p), spec.shape);
  }
  return file;
}

ModelConfig ConfigOfTensors(const TensorFile& tensors, const std::string& file) {
  const auto text = [&](const std::string& key) -> const std::string& {
    const auto found = tensors.metadata.find(key);
    if (found == tensors.metadata.end()) {
      throw InputError(file, fmt::format("its metadata has no {}: not a model", Quoted(key)));
    }
    return found->second;
  };
  // Models of this format do not say so: their bytes stay what they were.
  if (const auto format = tensors.metadata.find("format"); format != tensors.metadata.end()) {
    throw InputError(file, fmt::format("its format is {}", Quoted(format->second)),
                     "a newer version of flare wrote it");
  }
  const auto number = [&](const std::string& key, std::size_t least, std::size_t most) {
    const std::string& digits = text(key);
    const auto value = ParseNumber<std::size_t>(digits);
    if (!value || *value < least || *value > most) {
      throw InputError(file, fmt::format("{}: {} is not a number from {} to {}", key,
                                         Quoted(digits), least, most));
    }
    return *value;
  };
  ModelConfig config;
  config.architecture = text("architecture");
  const Architecture* architecture = FindArchitecture(config.architecture);
  if (architecture == nullptr) {
    throw InputError(file, fmt::format("unknown architecture {}", Quoted(config.architecture)));
  }
  config.vocabulary = number("vocabulary", 1, 1'000'000);
  config.layers = number("layers", 1, 1'000);
  config.hidden = number("hidden", 1, 8'192);
  for (const LossTermInfo& term : LossTermCatalog()) {
    const std::string key = HeadKey(term.name);
    if (!tensors.metadata.contains(key) || number(key, 0, 1) == 0) continue;
    config.terms.push_back(term.name);
    if (term.needs_states) config.states = number("states", 1, 1'000'000);
  }
  if (tensors.metadata.contains(HeadKey("rec"))) {
    config.recognizes = number(HeadKey("rec"), 0, 1) == 1;
  }
  if (!config.recognizes && config.terms.empty()) {
    throw InputError(file, "its metadata has no head: not a model");
  }
  if (tensors.metadata.contains("readout")) {
    ExpectOneOf(std::vector<std::string>{"last", "eos"}, text("readout"), file + ": readout");
    config.reads_eos = text("readout") == "eos";
  }
  for (const Option& option : architecture->options) {
    const auto found = tensors.metadata.find(option.name);
    config.options[option.name] =
        found == tensors.metadata.end()
            ? option.ValueIfAbsent()
            : OptionValue(option, found->second, fmt::format("{}: {}", file, option.name));
  }
  if (const std::size_t step = SizeStep(*architecture, config.options); config.hidden % step != 0) {
    throw InputError(file, fmt::format("hidden: {} is not a multiple of {}", config.hidden, step));
  }
  return config;
}

std::size_t NumStatesOf(const TensorFile& tensors) {
  for (const auto& [name, tensor] : tensors.tensors) {
    if (name.ends_with("states_head.bias") && tensor.num_elements() > 0) {
      return tensor.num_elements();
    }
  }
  return 1;
}

void CheckHoldsModel(const TensorFile& tensors, const std::string& file,
                     const ModelConfig& config) {
  std::size_t there = 0;
  for (const auto& [name, tensor] : tensors.tensors) there += tensor.num_elements();
  const std::size_t wanted = NumParameters(config);
  if (wanted > there) {
    throw InputError(
        file, fmt::format("has {} numbers, too few for a model of {} parameters", there, wanted));
  }
}

void LoadParameters(const TensorFile& tensors, const std::string& file, Model& model) {
  const auto& specs = model.parameters().specs();
  std::vector<std::vector<float>> values;
  for (const ParameterSpec& spec : specs) {
    const auto found = tensors.tensors.find(spec.name);
    if (found == tensors.tensors.end()) {
      throw InputError(file, fmt::format("tensor {} is missing", Quoted(spec.name)));
    }
    const Tensor& tensor = found->second;
    if (tensor.type != Tensor::Type::kF32 || tensor.shape != spec.shape) {
      throw InputError(
          file, fmt::format("tensor {} has shape [{}], expected floats [{}]", Quoted(spec.name),
                            fmt::join(tensor.shape, ", "), fmt::join(spec.shape, ", ")));
    }
    values.push_back(tensor.Floats());
  }
  for (std::size_t p = 0; p < specs.size(); ++p) model.parameters().Set(p, values[p]);
  model.ParametersChanged();
}

}  // namespace flare
