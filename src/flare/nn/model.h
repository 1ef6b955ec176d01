// A recognizer: an encoder, its heads, and their losses (paper §3.2 and §3.3).
//
//   Model model({.architecture = "lstm", .vocabulary = 2, .hidden = 40});
//   model.Initialize(seed);
//   const Losses losses = model.Gradients(batch, {}, MakeDropout(0.1, seed, step));
//   optimizer.Step(...);  model.ParametersChanged();

#ifndef FLARE_NN_MODEL_H_
#define FLARE_NN_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/batch.h"
#include "flare/nn/dropout.h"
#include "flare/nn/encoder.h"
#include "flare/nn/group.h"
#include "flare/nn/heads.h"
#include "flare/nn/parameters.h"

namespace flare {

struct ModelConfig {
  std::string architecture;
  std::size_t vocabulary = 0;
  std::size_t layers = 5;
  std::size_t hidden = 0;
  bool lm_head = false;
  bool ns_head = false;
};

// λ_LM and λ_NS; 0 leaves a term out.
struct LossCoefficients {
  double lm = 0;
  double next_symbols = 0;
};

// Means over the minibatch, in nats; the auxiliary terms are 0 for negatives.
struct Losses {
  double recognition = 0;
  double lm = 0;
  double next_symbols = 0;
  double total = 0;  // recognition + λ_LM·lm + λ_NS·next_symbols
};

class Model {
 public:
  // Requires: a known architecture, hidden a positive multiple of its step, at least one layer.
  explicit Model(const ModelConfig& config);
  ~Model();

  const ModelConfig& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  void Initialize(std::uint64_t seed);
  // To be called after every change of the parameters' values.
  void ParametersChanged();

  // The mean loss of the minibatch; its gradient replaces what parameters().gradients() held.
  Losses Gradients(const Batch& batch, const LossCoefficients& coefficients,
                   const Dropout& dropout);

  // The recognition logit of every string, without dropout.
  void Logits(const Batch& batch, std::vector<float>& logits);

  // Everything that evaluation asks, without dropout. The next-symbol figures want a batch that has
  // next-symbol sets.
  void Score(const Batch& batch, std::vector<ExampleScores>& scores);

  // The recognition logit of every prefix of string `i`, from ε to the string itself. Needs memory
  // as for a training step on that string.
  void PrefixLogits(const Batch& batch, std::size_t i, std::vector<float>& logits);

 private:
  // Calls visit(group) for the strings of a batch, a few at a time, the longest first.
  template <class Visit>
  void ForEachGroup(const Batch& batch, Encoder::GroupLimit limit, Visit visit);
  float Logit(const float* hidden) const;

  ModelConfig config_;
  Parameters parameters_;
  std::unique_ptr<Encoder> encoder_;
  std::size_t recognition_weights_, recognition_bias_;
  std::unique_ptr<LmHead> lm_head_;
  std::unique_ptr<NextSymbolHead> ns_head_;
  PositiveRows positives_;
  Group group_;
  std::vector<std::uint32_t> order_;
  FloatArray d_hidden_;
  std::vector<float> logits_;
};

// The hidden size whose model comes closest to `budget` parameters, auxiliary heads and the EOS
// embedding not counted; the smaller of two that are equally close.
std::size_t HiddenSizeForBudget(const std::string& architecture, std::size_t vocabulary,
                                std::size_t layers, std::size_t budget);

}  // namespace flare

#endif  // FLARE_NN_MODEL_H_
