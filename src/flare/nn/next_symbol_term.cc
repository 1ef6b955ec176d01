// Next-symbol prediction, of positives only (paper §3.3):
//
//   p(a may follow) = σ(W h + b)_a      for a in Σ ∪ {EOS}
//
// The loss of a string is the mean over its positions and over the symbols of the binary
// cross-entropy. Exponentials and logarithms are taken in double, as in lm_term.cc.

#include <algorithm>
#include <cstdint>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/logistic.h"
#include "flare/nn/loss_terms.h"

namespace flare {
namespace {

std::size_t NextSymbolOutputs(std::size_t vocabulary, std::size_t) { return vocabulary + 1; }

const std::uint64_t* ValidSet(const Batch& batch, TermRows::Place place) {
  return batch.next_symbols.data() +
         (batch.first_set[place.string] + place.position) * batch.words_per_set();
}

bool SetContains(const std::uint64_t* set, std::size_t a) {
  return ((set[a / 64] >> (a % 64)) & 1) != 0;
}

// A symbol is predicted iff its probability is at least ½.
void ScoreNextSymbols(const Batch& batch, TermRows::Place place, std::span<const float> logits,
                      TermScore& score) {
  const std::uint64_t* set = ValidSet(batch, place);
  double loss = 0;
  bool right = true;
  for (std::size_t a = 0; a < logits.size(); ++a) {
    const auto z = static_cast<double>(logits[a]);
    const bool valid = SetContains(set, a);
    loss += LogisticLoss(valid ? z : -z);
    right = right && (z >= 0) == valid;
  }
  score.cross_entropy += loss / (static_cast<double>(batch.length(place.string) + 1) *
                                 static_cast<double>(logits.size()));
  score.right += right ? 1 : 0;
  ++score.positions;
  score.applies = true;
}

class NextSymbolTerm : public LossTerm {
 public:
  explicit NextSymbolTerm(const TermContext& c)
      : parameters_(c.parameters),
        outputs_(NextSymbolOutputs(c.vocabulary, c.states)),
        padded_(Padded(outputs_)),
        width_(c.width),
        linear_(c.parameters, TermWeights("next_symbols_head", outputs_, c.hidden)),
        bias_(c.parameters.Add(TermBias("next_symbols_head", outputs_))) {}

  void ParametersChanged() override { linear_.ParametersChanged(); }

  double Loss(const Batch& batch, const TermRows& rows, double scale, float* d_hidden) override {
    ComputeLogits(rows);
    Grow(d_rows_, rows.count() * width_);
    const float* bias = parameters_.value(bias_);
    double loss = 0;
    for (std::size_t r = 0; r < rows.count(); ++r) {
      const TermRows::Place place = rows.places()[r];
      const double share =
          1 / (static_cast<double>(batch.length(place.string) + 1) * static_cast<double>(outputs_));
      const std::uint64_t* set = ValidSet(batch, place);
      float* logits = logits_.data() + r * padded_;
      for (std::size_t a = 0; a < outputs_; ++a) {
        const auto z = static_cast<double>(logits[a] + bias[a]);
        const bool valid = SetContains(set, a);
        loss += share * LogisticLoss(valid ? z : -z);
        logits[a] = static_cast<float>(scale * share * (Sigmoid(z) - (valid ? 1 : 0)));
      }
      std::fill(logits + outputs_, logits + padded_, 0.0f);
    }
    linear_.Backward(rows.count(), rows.values(), logits_.data(), d_rows_.data());
    rows.ScatterAdd(d_rows_.data(), d_hidden);
    AddColumnSums(rows.count(), padded_, logits_.data(), parameters_.gradient(bias_));
    return loss;
  }

  TermLogits Logits(const TermRows& rows) override {
    ComputeLogits(rows);
    AddBias(rows.count(), padded_, parameters_.value(bias_), logits_.data());
    return {logits_.data(), outputs_, padded_};
  }

  double Bytes(std::size_t length) const override {
    return static_cast<double>(length + 1) * static_cast<double>(outputs_ * sizeof(float));
  }

 private:
  void ComputeLogits(const TermRows& rows) {
    Grow(logits_, rows.count() * padded_);
    linear_.Forward(rows.count(), rows.values(), logits_.data());
  }

  Parameters& parameters_;
  std::size_t outputs_, padded_, width_;
  Linear linear_;
  std::size_t bias_;
  FloatArray logits_;  // (rows, padded)
  FloatArray d_rows_;  // (rows, width)
};

std::unique_ptr<LossTerm> MakeNextSymbolTerm(const TermContext& c) {
  return std::make_unique<NextSymbolTerm>(c);
}

}  // namespace

LossTermInfo DescribeNextSymbolTerm() {
  return {
      .name = "ns",
      .key = "next_symbol",
      .help = "next-symbol prediction: the set of symbols that may follow, of positive examples",
      .columns = "a column per symbol, then EOS",
      .outputs = NextSymbolOutputs,
      .score = ScoreNextSymbols,
      .figures = {"accuracy.positions", "accuracy.strings"},
      .needs_next_symbols = true,
      .predicts_eos = true,
      .in_all_files = true,
      .make = MakeNextSymbolTerm};
}

}  // namespace flare
