#include "flare/nn/architectures.h"

#include <vector>

namespace flare {

// Each is defined in the file of its name.
EncoderFactory MakeRnn, MakeLstm, MakeGru, MakeTransformer;
ParameterCount CountRnn, CountLstm, CountGru, CountTransformer;

std::span<const Architecture> Architectures() {
  static const std::vector<Architecture> architectures = {
      {"rnn", MakeRnn, CountRnn, 1, false, "0.2"},
      {"lstm", MakeLstm, CountLstm, 1, false, "0.2"},
      {"gru", MakeGru, CountGru, 1, false, "0.2"},
      {"transformer", MakeTransformer, CountTransformer, 8, true, "0.1"},
  };
  return architectures;
}

const Architecture* FindArchitecture(std::string_view name) {
  for (const Architecture& architecture : Architectures()) {
    if (architecture.name == name) return &architecture;
  }
  return nullptr;
}

}  // namespace flare
