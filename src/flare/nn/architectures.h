// The catalogue of architectures: one file each, which describes it, and one line each.

#ifndef FLARE_NN_ARCHITECTURES_H_
#define FLARE_NN_ARCHITECTURES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/option.h"
#include "flare/nn/encoder.h"

namespace flare {

// Declares the encoder's parameters, and does no work that grows with their size: encoders are also
// made to be counted (NumParameters).
using EncoderFactory = std::unique_ptr<Encoder>(const EncoderConfig&, Parameters&);

using SizeStepOf = std::size_t(const OptionTexts& options);
// The usual ones: any size, multiples of 8, and those of 8 that are multiples of the option
// `heads`.
std::size_t AnySize(const OptionTexts& options);
std::size_t WholeVectors(const OptionTexts& options);
std::size_t WholeHeads(const OptionTexts& options);

// Options that several architectures have.
Option HeadsOption(const char* default_value);
Option EigenvaluesOption();
// The default, "4" or "0", is the first value.
Option ConvolutionOption(const char* default_value);
Option StateOption(std::size_t most);
Option ExpandOption();
Option FeedForwardOption(const char* default_value);

// An option whose value has no meaning together with the others'.
struct OptionConflict {
  std::string option, message;
};
using OptionConflictOf = std::optional<OptionConflict>(const OptionTexts& options);

struct Architecture {
  std::string name;
  EncoderFactory* make;
  // Hidden sizes are multiples of this. All options have a value.
  SizeStepOf* size_step;
  // Does it read BOS before a string? A batch's size counts it.
  bool reads_bos;
  // The version that last changed the bits of its results. A run continues only with the arithmetic
  // that it began with. Read it through ArithmeticOf.
  std::string arithmetic;
  // Their names are keys of a model's file: none may be another of its keys (model_file.cc).
  std::vector<Option> options = {};
  // How weights are drawn by default: "paper", or "reference" where a trial favoured that by a rule
  // that was fixed beforehand (results/init).
  std::string init = "paper";
  // If not null, the arithmetic of models with these options, all of which have a value.
  std::string (*arithmetic_of)(const OptionTexts& options) = nullptr;
  // Null if any value goes with any other. All options have a value.
  OptionConflictOf* conflict = nullptr;
};

std::span<const Architecture> Architectures();

// Null if there is no such architecture.
const Architecture* FindArchitecture(std::string_view name);

// A value for each of the architecture's options: as given, or the default. Throws InputError if
// one is given that it does not have, a value that it cannot have, or values that contradict each
// other.
OptionTexts CompleteOptions(const Architecture& architecture, const OptionTexts& given,
                            const std::string& where);

// The version that last changed the bits of models with these options; throws as CompleteOptions
// does.
std::string ArithmeticOf(const Architecture& architecture, const OptionTexts& given);

// Returns the number that hidden sizes are multiples of; throws as CompleteOptions does.
std::size_t SizeStep(const Architecture& architecture, const OptionTexts& given);

}  // namespace flare

#endif  // FLARE_NN_ARCHITECTURES_H_
