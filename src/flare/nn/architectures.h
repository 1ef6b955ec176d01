// The catalogue of architectures: one file each, one line each.

#ifndef FLARE_NN_ARCHITECTURES_H_
#define FLARE_NN_ARCHITECTURES_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "flare/nn/encoder.h"

namespace flare {

using EncoderFactory = std::unique_ptr<Encoder>(const EncoderConfig&, Parameters&);

// The number of parameters of an encoder without EOS embedding, by formula.
using ParameterCount = std::size_t(std::size_t vocabulary, std::size_t layers, std::size_t hidden);

struct Architecture {
  std::string name;
  EncoderFactory* make;
  ParameterCount* count;
  // Hidden sizes are multiples of this.
  std::size_t size_step;
  // Does it read BOS before a string? A batch's size counts it.
  bool reads_bos;
  // The version that last changed the bits of its results. A run goes on only with the arithmetic
  // that it began with.
  std::string arithmetic;
};

std::span<const Architecture> Architectures();

// Null if there is no such architecture.
const Architecture* FindArchitecture(std::string_view name);

}  // namespace flare

#endif  // FLARE_NN_ARCHITECTURES_H_
