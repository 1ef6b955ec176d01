// A recognizer: an encoder, its heads, and their losses (paper §3.2 and §3.3).
//
//   Model model({.architecture = "lstm", .vocabulary = 2, .hidden = 40, .terms = {"lm"}});
//   model.Initialize(seed);
//   const std::vector<double> coefficients = {0.1};
//   const Losses& losses = model.Gradients(batch, coefficients, MakeDropout(0.1, seed, step));
//   optimizer.Step(...);  model.ParametersChanged();

#ifndef FLARE_NN_MODEL_H_
#define FLARE_NN_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "flare/nn/aligned.h"
#include "flare/nn/batch.h"
#include "flare/nn/dropout.h"
#include "flare/nn/encoder.h"
#include "flare/nn/group.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/parameters.h"
#include "flare/nn/target.h"

namespace flare {

struct ModelConfig {
  std::string architecture;
  std::size_t vocabulary = 0;
  std::size_t layers = 5;
  std::size_t hidden = 0;
  // The terms of the loss besides recognition, in the catalogue's order.
  std::vector<std::string> terms = {};
  OptionTexts options = {};  // the architecture's; missing ones have their defaults
  std::size_t states = 1;    // how many the terms st and st_last tell apart
  bool recognizes = true;  // is recognition a term of the loss? Otherwise there is no head for it.
  // Does recognition look at the hidden vector after an EOS that follows the string? Otherwise it
  // looks at the one after the last symbol.
  bool reads_eos = false;
};

// Means over the minibatch, in nats. A term is 0 for strings that it is not defined for.
struct Losses {
  double recognition = 0;          // 0 if it is not a term
  std::vector<double> terms = {};  // terms[i] is the loss of config.terms[i]
  double total = 0;                // recognition + Σ coefficients[i]·terms[i]
};

// The scores of each string of a batch for evaluation.
struct ModelScores {
  std::vector<float> logits;                  // recognition's; empty if it is not a term
  std::vector<std::vector<TermScore>> terms;  // terms[i][string], of config.terms[i]
};

// The parts that have parameters, declared to `parameters` but not allocated.
struct ModelParts {
  // Requires: a known architecture, hidden a positive multiple of its step, at least one layer,
  // known terms in the catalogue's order, and one at least, which may be recognition. Throws
  // InputError if the architecture cannot have the options.
  ModelParts(const ModelConfig& config, Parameters& parameters);

  std::unique_ptr<Encoder> encoder;
  // Parameters, if the model recognizes.
  std::size_t recognition_weights = 0, recognition_bias = 0;
  std::vector<LossTerm> terms;

 private:
  void AddRecognitionHead(std::size_t hidden, Parameters& parameters);
};

// Models share nothing: each may be used in a thread of its own, whatever their targets.
class Model {
 public:
  // Requires what ModelParts does. Throws InputError if the CPU does not have the target.
  explicit Model(const ModelConfig& config, Target target = Target::kNative);
  // Its parts refer to its parameters.
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelConfig& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  void Initialize(std::uint64_t seed, Parameters::Scheme scheme = Parameters::Scheme::kPaper);
  // Call this after every change of the parameters' values.
  void ParametersChanged();

  // The mean loss of the minibatch, valid until the next call; its gradient replaces what
  // parameters().gradients() held. A coefficient for each of config().terms; 0 leaves one out.
  const Losses& Gradients(const Batch& batch, std::span<const double> coefficients,
                          const Dropout& dropout);

  // The recognition logit of every string, without dropout. This and PrefixLogits throw InputError
  // if the model does not recognize.
  void Logits(const Batch& batch, std::vector<float>& logits);

  // Everything that evaluation asks, without dropout. A term applies to no string of a batch that
  // does not have what the term needs.
  void Score(const Batch& batch, ModelScores& scores);

  // The memory that one string may take. Longer strings are refused with InputError, as are those
  // that would take an architecture too long.
  static constexpr double kMostBytes = 4e9;
  // Throws InputError if a training step on a string of that length takes more. So does Gradients,
  // but only when it comes to the string.
  void CheckTrainable(std::size_t length) const;

  // The recognition logit of every prefix of string `i`, from ε to the string itself. Keeps the
  // hidden vectors of all layers of a recurrent model.
  void PrefixLogits(const Batch& batch, std::size_t i, std::vector<float>& logits);
  // The same for all strings, side by side; those of string i begin at batch.first_state(i).
  void PrefixLogits(const Batch& batch, std::vector<float>& logits);
  // Returns the vectors from which those logits are computed, of string `i`: the last layer's h₀,
  // …, h_n, (n + 1, config().hidden).
  void HiddenVectors(const Batch& batch, std::size_t i, std::vector<float>& vectors);
  // Returns the logits of a term's head after every prefix of all strings, side by side as
  // PrefixLogits has them: num_outputs(term) logits each.
  void HeadLogits(const Batch& batch, std::size_t term, std::vector<float>& logits);
  std::size_t num_outputs(std::size_t term) const {
    return parts_.terms[term].info().outputs(config_.vocabulary, config_.states);
  }

  // The longest string that it answers for.
  std::size_t longest() const { return parts_.encoder->longest(); }

 private:
  // Returns the batch that the encoder reads for recognition: the batch itself or, if the model
  // reads padding or EOS, its strings and labels with these after each string.
  const Batch& WithEnds(const Batch& batch);
  // Calls visit(group) for the strings of a batch, a few at a time, the longest first.
  template <class Visit>
  void ForEachGroup(const Batch& batch, Encoder::GroupLimit limit, Visit visit);
  // Calls visit(t, h) for every hidden vector of string `i`, in order.
  template <class Visit>
  void ForEachHidden(const Batch& batch, std::size_t i, Visit visit);
  // Calls visit(i, rows) for the terms i that are wanted, in order.
  template <class Wanted, class Visit>
  void ForEachTerm(const Batch& batch, const Group& group, const float* hidden, Wanted wanted,
                   Visit visit);
  float Logit(const float* hidden) const;
  // Adds the group's recognition losses, and their gradients to d_hidden_ and the head's.
  void Recognize(const Batch& batch, const Group& group, const float* hidden, double per_example);
  // Is the logit of a prefix not that of the string's own hidden vector? So it is with padding or
  // EOS after every prefix, and with positions that depend on the length.
  bool reads_prefixes_apart() const { return !ends_.empty() || parts_.encoder->knows_length(); }
  void SeparatePrefixLogits(const Batch& batch, std::size_t i, float* logits);
  void CheckRecognizes() const;
  // Throw InputError if strings of that length are too long to answer for, or for all prefixes.
  void CheckReadable(std::size_t length) const;
  void CheckEncodable(std::size_t length, bool terms) const;
  // Returns the memory that the predictions of the terms take.
  double TermBytes(std::size_t length) const;

  ModelConfig config_;
  Parameters parameters_;
  ModelParts parts_;
  std::array<std::array<TermRows, 2>, 2> rows_;  // by TermRows::Strings and TermRows::Positions
  std::vector<std::uint32_t> ends_;              // the symbols that it reads after a string
  Batch ended_;                                  // see WithEnds
  Group group_;
  std::vector<std::uint32_t> order_;
  FloatArray d_hidden_;
  Losses losses_;
};

// Counts the parameters that the model's parts declare, the terms' included, without making the
// model.
std::size_t NumParameters(const ModelConfig& config);

// The hidden size whose model for recognition alone comes closest to `budget` parameters; the
// smaller of two that are equally close. The hidden size and the terms of `config` are ignored.
std::size_t HiddenSizeForBudget(const ModelConfig& config, std::size_t budget);

}  // namespace flare

#endif  // FLARE_NN_MODEL_H_
