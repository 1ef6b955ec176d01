// The auxiliary heads, for positive examples only (paper §3.3): language modelling, tied to the
// input embeddings, and next-symbol prediction. Both look at every hidden vector h₀..h_n of a
// string and predict over Σ ∪ {EOS}.

#ifndef FLARE_NN_HEADS_H_
#define FLARE_NN_HEADS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "flare/nn/aligned.h"
#include "flare/nn/batch.h"
#include "flare/nn/group.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/linear.h"
#include "flare/nn/parameters.h"

namespace flare {

// The rows of a group's positives side by side: what both heads multiply.
class PositiveRows {
 public:
  explicit PositiveRows(std::size_t width) : width_(width) {}

  // Copies the hidden vectors of all positives, string by string.
  void Gather(const Batch& batch, const Group& group, const float* hidden);
  std::size_t count() const { return rows_.size(); }
  const float* values() const { return values_.data(); }
  // Adds `gradient` (count, width) to the rows' places in d_hidden.
  void ScatterAdd(const float* gradient, float* d_hidden) const;

  struct Place {
    std::size_t string;    // its index in the batch
    std::size_t position;  // t, the number of symbols before it
  };
  const std::vector<Place>& places() const { return places_; }

 private:
  std::size_t width_;
  std::vector<std::size_t> rows_;
  std::vector<Place> places_;
  FloatArray values_;
};

// What evaluation wants to know of one string. The auxiliary figures are of positives only, and of
// the heads that the model has.
struct ExampleScores {
  float logit = 0;
  double lm_cross_entropy = 0;  // mean over timesteps, in nats
  double next_symbol_cross_entropy = 0;
  std::size_t next_symbol_sets_right = 0;  // timesteps at which the whole set is right
};

// p(a | prefix) = softmax(E h)_a with E the input embeddings of Σ and EOS, unscaled, without bias.
class LmHead {
 public:
  LmHead(Parameters& parameters, std::size_t embedding, std::size_t vocabulary, std::size_t width);
  void ParametersChanged();
  // Returns Σ over strings of the string's mean cross-entropy; adds `scale` times its gradient to
  // d_hidden and to the embeddings'.
  double Loss(const Batch& batch, const PositiveRows& rows, double scale, float* d_hidden);
  // Adds each row's share to the scores of its string; scores[i] belongs to string i.
  void Score(const Batch& batch, const PositiveRows& rows, std::span<ExampleScores> scores);

 private:
  void ComputeLogits(const PositiveRows& rows);

  Parameters& parameters_;
  std::size_t embedding_, outputs_, padded_, width_;
  FloatArray transposed_, logits_, d_rows_;
  Gemm product_, gradient_;
  GemmTransposed weight_gradient_;
};

// p(a may follow) = σ(W h + b)_a for every a in Σ and EOS.
class NextSymbolHead {
 public:
  NextSymbolHead(Parameters& parameters, std::size_t vocabulary, std::size_t hidden,
                 std::size_t width);
  void ParametersChanged();
  double Loss(const Batch& batch, const PositiveRows& rows, double scale, float* d_hidden);
  // As above; a symbol is predicted iff its probability is at least ½.
  void Score(const Batch& batch, const PositiveRows& rows, std::span<ExampleScores> scores);

 private:
  void ComputeLogits(const PositiveRows& rows);

  Parameters& parameters_;
  std::size_t outputs_, padded_, width_;
  Linear linear_;
  std::size_t bias_;
  FloatArray logits_, d_rows_;
};

}  // namespace flare

#endif  // FLARE_NN_HEADS_H_
