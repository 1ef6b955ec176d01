// Language modelling, of positives only (paper §3.3):
//
//   p(a | prefix) = softmax(E h)_a      for a in Σ ∪ {EOS}
//
// with E the input embeddings of Σ and EOS, unscaled, without bias. The loss of a string is the
// mean of −log p over its symbols and EOS.
//
// Exponentials and logarithms are taken in double and rounded to float, so that the last bits of a
// machine's libm do not show.

#include <algorithm>
#include <cmath>
#include <optional>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/gemm.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/softmax.h"

namespace flare {
namespace {

std::size_t LmOutputs(std::size_t vocabulary, std::size_t) { return vocabulary + 1; }

// EOS at the end.
std::size_t NextSymbol(const Batch& batch, TermRows::Place place) {
  return place.position < batch.length(place.string) ? batch.string(place.string)[place.position]
                                                     : batch.vocabulary;
}

// The symbol that is predicted is the most probable one, the first of several.
void ScoreLm(const Batch& batch, TermRows::Place place, std::span<const float> logits,
             TermScore& score) {
  const std::size_t target = NextSymbol(batch, place);
  const auto [highest, sum] = HighestAndSum(logits);
  score.cross_entropy += (highest + std::log(sum) - logits[target]) /
                         static_cast<double>(batch.length(place.string) + 1);
  const auto predicted = std::max_element(logits.begin(), logits.end()) - logits.begin();
  score.right += static_cast<std::size_t>(predicted) == target ? 1 : 0;
  ++score.positions;
  score.applies = true;
}

class LmTerm : public LossTerm {
 public:
  explicit LmTerm(const TermContext& c)
      : parameters_(c.parameters),
        embedding_(c.embedding),
        outputs_(LmOutputs(c.vocabulary, c.states)),
        padded_(Padded(outputs_)),
        width_(c.width) {}

  void ParametersChanged() override {
    if (!products_) products_.emplace(*this);
    Grow(transposed_, width_ * padded_);
    const float* table = parameters_.value(embedding_);
    for (std::size_t a = 0; a < outputs_; ++a) {
      for (std::size_t j = 0; j < width_; ++j) transposed_[j * padded_ + a] = table[a * width_ + j];
    }
  }

  double Loss(const Batch& batch, const TermRows& rows, double scale, float* d_hidden) override {
    ComputeLogits(rows);
    Grow(d_rows_, rows.count() * width_);
    double loss = 0;
    for (std::size_t r = 0; r < rows.count(); ++r) {
      const std::size_t target = NextSymbol(batch, rows.places()[r]);
      const double share = 1 / static_cast<double>(batch.length(rows.places()[r].string) + 1);
      float* logits = logits_.data() + r * padded_;
      const auto [highest, sum] = HighestAndSum({logits, outputs_});
      loss += share * (highest + std::log(sum) - logits[target]);
      for (std::size_t a = 0; a < outputs_; ++a) {
        const double p = std::exp(logits[a] - highest) / sum;
        logits[a] = static_cast<float>(scale * share * (p - (a == target ? 1 : 0)));
      }
    }
    products_->input_gradient(rows.count(), logits_.data(), parameters_.value(embedding_),
                              d_rows_.data());
    rows.ScatterAdd(d_rows_.data(), d_hidden);
    products_->weight_gradient(rows.count(), logits_.data(), rows.values(),
                               parameters_.gradient(embedding_));
    return loss;
  }

  TermLogits Logits(const TermRows& rows) override {
    ComputeLogits(rows);
    return {logits_.data(), outputs_, padded_};
  }

  double Bytes(std::size_t length) const override {
    return static_cast<double>(length + 1) * static_cast<double>(outputs_ * sizeof(float));
  }

 private:
  struct Products {
    explicit Products(const LmTerm& t)
        : logits(t.padded_, t.width_, t.width_, t.padded_, t.padded_, false,
                 t.parameters_.target()),
          input_gradient(t.width_, t.outputs_, t.padded_, t.width_, t.width_, false,
                         t.parameters_.target()),
          weight_gradient(t.width_, t.outputs_, t.padded_, t.width_, t.width_,
                          t.parameters_.target()) {}

    Gemm logits, input_gradient;
    GemmTransposed weight_gradient;
  };

  void ComputeLogits(const TermRows& rows) {
    Grow(logits_, rows.count() * padded_);
    products_->logits(rows.count(), rows.values(), transposed_.data(), logits_.data());
  }

  Parameters& parameters_;
  std::size_t embedding_, outputs_, padded_, width_;
  std::optional<Products> products_;
  FloatArray transposed_;  // (width, padded): E with a column per symbol
  FloatArray logits_;      // (rows, padded)
  FloatArray d_rows_;      // (rows, width)
};

std::unique_ptr<LossTerm> MakeLmTerm(const TermContext& c) { return std::make_unique<LmTerm>(c); }

}  // namespace

LossTermInfo DescribeLmTerm() {
  return {.name = "lm",
          .key = "lm",
          .help = "language modelling: the next symbol, of positive examples",
          .columns = "a column per symbol, then EOS",
          .outputs = LmOutputs,
          .score = ScoreLm,
          .predicts_eos = true,
          .embeds_eos = true,
          .in_all_files = true,
          .make = MakeLmTerm};
}

}  // namespace flare
