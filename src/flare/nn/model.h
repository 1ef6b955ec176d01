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
#include "flare/nn/target.h"

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

// Models share nothing: each may be used in a thread of its own, whatever their targets.
class Model {
 public:
  // Requires: a known architecture, hidden a positive multiple of its step, at least one layer.
  // Throws InputError if the CPU does not have the target.
  explicit Model(const ModelConfig& config, Target target = Target::kNative);
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

  // The memory that one string may take. Longer strings are refused with InputError, as are those
  // that would take an architecture too long.
  static constexpr double kMostBytes = 4e9;
  // Throws InputError if a training step on a string of that length takes more. So does Gradients,
  // but only when it comes to the string.
  void CheckTrainable(std::size_t length) const;

  // The recognition logit of every prefix of string `i`, from ε to the string itself. Keeps the
  // hidden vectors of all layers of a recurrent model.
  void PrefixLogits(const Batch& batch, std::size_t i, std::vector<float>& logits);

 private:
  // Calls visit(group) for the strings of a batch, a few at a time, the longest first.
  template <class Visit>
  void ForEachGroup(const Batch& batch, Encoder::GroupLimit limit, Visit visit);
  float Logit(const float* hidden) const;
  // Throw InputError if strings of that length are too long to answer for, or for all prefixes.
  void CheckReadable(std::size_t length) const;
  void CheckEncodable(std::size_t length, bool heads) const;
  // What the logits of the auxiliary heads take.
  double LogitBytes(std::size_t length) const;

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

// By formula, without making the model: heads and the EOS embedding counted.
std::size_t NumParameters(const ModelConfig& config);

// The hidden size whose model comes closest to `budget` parameters, auxiliary heads and the EOS
// embedding not counted; the smaller of two that are equally close.
std::size_t HiddenSizeForBudget(const std::string& architecture, std::size_t vocabulary,
                                std::size_t layers, std::size_t budget);

}  // namespace flare

#endif  // FLARE_NN_MODEL_H_
