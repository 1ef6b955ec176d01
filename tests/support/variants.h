// The architectures that tests of the engine walk through: every line of the catalogue, and every
// option with a value that is not its default.

#ifndef FLARE_TESTS_SUPPORT_VARIANTS_H_
#define FLARE_TESTS_SUPPORT_VARIANTS_H_

#include <cctype>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "flare/nn/architectures.h"
#include "flare/nn/model.h"

namespace flare {

struct ArchitectureVariant {
  static constexpr std::size_t kStates = 5;  // for the term st

  std::string architecture;
  OptionTexts options = {};

  // As a part of a test's name.
  std::string name() const {
    std::string text = architecture;
    for (const auto& [option, value] : options) text += "_" + option + "_" + value;
    for (char& c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return text;
  }
  // The smallest hidden size from `least` on.
  std::size_t Size(std::size_t least) const {
    const std::size_t step = SizeStep(*FindArchitecture(architecture), options);
    return (least + step - 1) / step * step;
  }
  ModelConfig Config(std::size_t vocabulary, std::size_t layers, std::size_t least_hidden,
                     std::vector<std::string> terms = {}) const {
    return {.architecture = architecture,
            .vocabulary = vocabulary,
            .layers = layers,
            .hidden = Size(least_hidden),
            .terms = std::move(terms),
            .options = options,
            .states = kStates};
  }
};

inline void PrintTo(const ArchitectureVariant& variant, std::ostream* out) {
  *out << variant.name();
}

// Options that occur in one formula are also tested together.
inline std::vector<ArchitectureVariant> ArchitectureVariants() {
  std::vector<ArchitectureVariant> variants;
  for (const Architecture& architecture : Architectures()) variants.push_back({architecture.name});
  const std::vector<ArchitectureVariant> others = {
      {"transformer", {{"positions", "none"}}},
      {"transformer", {{"positions", "rope"}}},
      {"transformer", {{"positions", "alibi"}}},
      {"transformer", {{"positions", "learned"}, {"table", "50"}}},
      {"transformer", {{"positions", "t5"}}},
      {"transformer", {{"positions", "fire"}}},
      {"transformer", {{"positions", "t5"}, {"heads", "3"}}},
      {"transformer", {{"positions", "fire"}, {"heads", "12"}, {"mask", "strict"}}},
      {"transformer", {{"randomized", "100"}}},
      {"transformer", {{"positions", "rope"}, {"randomized", "61"}}},
      {"transformer", {{"mask", "strict"}}},
      {"transformer", {{"heads", "2"}, {"positions", "alibi"}}},
      {"transformer", {{"heads", "12"}, {"mask", "strict"}, {"positions", "rope"}}},
      {"transformer", {{"activation", "gelu"}, {"norm", "post"}, {"tie_embeddings", "false"}}},
      {"transformer", {{"activation", "swiglu"}, {"feed_forward", "2"}}},
      {"transformer", {{"loops", "3"}, {"padding", "2"}}},
      {"deltanet", {{"loops", "2"}, {"padding", "3"}, {"conv", "0"}, {"gate", "true"}}},
      {"mamba", {{"loops", "2"}, {"padding", "1"}, {"norm", "post"}, {"feed_forward", "1"}}},
      {"mlstm", {{"loops", "2"}, {"norm", "post"}, {"padding", "1"}}},
      {"deltanet", {{"activation", "swiglu"}, {"norm", "post"}}},
      {"deltanet", {{"activation", "gelu"}, {"feed_forward", "3"}, {"tie_embeddings", "false"}}},
      {"mlstm", {{"activation", "swiglu"}, {"feed_forward", "1"}, {"tie_embeddings", "false"}}},
      {"mlstm", {{"activation", "gelu"}, {"norm", "post"}}},
      {"mamba", {{"activation", "gelu"}, {"feed_forward", "2"}, {"norm", "post"}}},
      {"mamba", {{"activation", "swiglu"}, {"feed_forward", "1"}, {"tie_embeddings", "false"}}},
      {"mamba", {{"eigenvalues", "signed"}}},
      {"mlstm", {{"heads", "2"}, {"order", "gate-norm"}}},
      {"mlstm", {{"conv", "4"}, {"expand", "2"}, {"skip", "true"}}},
      {"mlstm", {{"conv", "4"}, {"heads", "2"}, {"order", "gate-norm"}, {"skip", "true"}}},
      {"mlstm", {{"expand", "2"}, {"feed_forward", "0"}}},
      {"deltanet", {{"output_gate", "true"}}},
      {"slstm", {{"heads", "2"}}},
      {"mamba2", {{"eigenvalues", "signed"}, {"heads", "2"}}},
      {"mamba2",
       {{"conv", "0"}, {"expand", "3"}, {"feed_forward", "4"}, {"heads", "1"}, {"state", "5"}}},
      {"mamba2", {{"activation", "gelu"}, {"feed_forward", "1"}, {"norm", "post"}, {"loops", "2"}}},
      {"mamba2",
       {{"activation", "swiglu"},
        {"feed_forward", "1"},
        {"padding", "1"},
        {"tie_embeddings", "false"}}},
      {"rwkv7", {{"heads", "2"}, {"rank", "3"}}},
      {"rwkv7", {{"activation", "gelu"}, {"feed_forward", "1"}, {"norm", "post"}, {"loops", "2"}}},
      {"rwkv7",
       {{"activation", "swiglu"},
        {"feed_forward", "1"},
        {"padding", "1"},
        {"tie_embeddings", "false"}}},
      {"gla", {{"conv", "4"}, {"heads", "2"}}},
      {"gla", {{"activation", "gelu"}, {"feed_forward", "2"}, {"norm", "post"}, {"heads", "1"}}},
      {"gla",
       {{"activation", "swiglu"}, {"loops", "2"}, {"padding", "1"}, {"tie_embeddings", "false"}}},
      {"stack-rnn", {{"stack_width", "3"}}},
      {"stack-lstm", {{"stack_width", "3"}}},
      {"deltanet", {{"eigenvalues", "signed"}, {"householder", "2"}}},
      {"deltanet",
       {{"conv", "0"},
        {"gate", "true"},
        {"heads", "2"},
        {"householder", "3"},
        {"output_gate", "false"}}},
      {"mamba", {{"conv", "0"}, {"expand", "3"}, {"feed_forward", "4"}, {"state", "5"}}},
  };
  variants.insert(variants.end(), others.begin(), others.end());
  return variants;
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_VARIANTS_H_
