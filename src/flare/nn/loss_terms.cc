// Exponentials and logarithms are taken in double and rounded to float, so that the last bits of a
// machine's libm do not show.

#include "flare/nn/loss_terms.h"

#include <algorithm>
#include <cmath>

#include "flare/base/error.h"
#include "flare/nn/aligned.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/logistic.h"

namespace flare {

namespace {

// The number of hidden vectors of a string that a term looks at.
double PositionsOf(const LossTermInfo& info, const Batch& batch, std::size_t string) {
  return info.positions == TermRows::Positions::kAll ? static_cast<double>(batch.length(string) + 1)
                                                     : 1;
}

std::size_t TargetAt(const LossTermInfo& info, const Batch& batch, TermRows::Place place,
                     std::size_t outputs) {
  const std::size_t target = info.target(batch, place);
  FLARE_CHECK(target < outputs);
  return target;
}

// −log softmax(z)_target times `share`; z becomes its gradient, times `scale`.
double SoftmaxLoss(std::span<float> z, std::size_t target, double share, double scale) {
  const auto [highest, sum] = HighestAndSum(z);
  const double loss = share * (highest + std::log(sum) - z[target]);
  for (std::size_t a = 0; a < z.size(); ++a) {
    const double p = std::exp(z[a] - highest) / sum;
    z[a] = static_cast<float>(scale * share * (p - (a == target ? 1 : 0)));
  }
  return loss;
}

}  // namespace

// The outcome that is predicted is the most probable one, the first of several; an output is
// predicted to be in a set iff its probability is at least ½.
void LossTermInfo::Score(const Batch& batch, TermRows::Place place, std::span<const float> logits,
                         TermScore& score) const {
  const double positions_of_string = PositionsOf(*this, batch, place.string);
  bool right = true;
  if (target != nullptr) {
    const std::size_t wanted = TargetAt(*this, batch, place, logits.size());
    const auto [highest, sum] = HighestAndSum(logits);
    score.cross_entropy += (highest + std::log(sum) - logits[wanted]) / positions_of_string;
    const auto predicted = std::max_element(logits.begin(), logits.end()) - logits.begin();
    right = static_cast<std::size_t>(predicted) == wanted;
  } else {
    double loss = 0;
    for (std::size_t a = 0; a < logits.size(); ++a) {
      const auto z = static_cast<double>(logits[a]);
      const bool valid = contains(batch, place, a);
      loss += LogisticLoss(valid ? z : -z);
      right = right && (z >= 0) == valid;
    }
    score.cross_entropy += loss / (positions_of_string * static_cast<double>(logits.size()));
  }
  score.right += right ? 1 : 0;
  ++score.positions;
  score.applies = true;
}

LossTerm::LossTerm(const LossTermInfo& info, const TermContext& c)
    : info_(info),
      parameters_(c.parameters),
      embedding_(c.embedding),
      outputs_(info.outputs(c.vocabulary, c.states)),
      padded_(Padded(outputs_)),
      width_(c.width) {
  if (info.ties_embeddings && c.ties_embeddings) return;
  ParameterSpec weights = MatrixSpec(info.head + ".weight", outputs_, c.hidden);
  weights.initialization = Initialization::kXavierUniform;
  weights.uncounted = weights.num_elements();
  Linear linear(c.parameters, std::move(weights));
  ParameterSpec bias = VectorSpec(info.head + ".bias", outputs_);
  bias.initialization = Initialization::kZero;
  bias.uncounted = bias.num_elements();
  own_.emplace(OwnHead{std::move(linear), c.parameters.Add(std::move(bias))});
}

void LossTerm::ParametersChanged() {
  if (own_) return own_->weights.ParametersChanged();
  if (!tied_) {
    const Target target = parameters_.target();
    tied_.emplace(TiedHead{Gemm(padded_, width_, width_, padded_, false, target),
                           Gemm(width_, outputs_, padded_, width_, false, target),
                           GemmTransposed(width_, outputs_, padded_, width_, width_, target),
                           FloatArray(width_ * padded_, 0)});
  }
  const float* table = parameters_.value(embedding_);
  for (std::size_t a = 0; a < outputs_; ++a) {
    for (std::size_t j = 0; j < width_; ++j) {
      tied_->transposed[j * padded_ + a] = table[a * width_ + j];
    }
  }
}

double LossTerm::Loss(const Batch& batch, const TermRows& rows, double scale, float* d_hidden) {
  Logits(rows);
  double loss = 0;
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const TermRows::Place place = rows.places()[r];
    float* logits = logits_.data() + r * padded_;
    const double positions = PositionsOf(info_, batch, place.string);
    if (info_.target != nullptr) {
      loss += SoftmaxLoss({logits, outputs_}, TargetAt(info_, batch, place, outputs_),
                          1 / positions, scale);
    } else {
      const double share = 1 / (positions * static_cast<double>(outputs_));
      for (std::size_t a = 0; a < outputs_; ++a) {
        const auto z = static_cast<double>(logits[a]);
        const bool valid = info_.contains(batch, place, a);
        loss += share * LogisticLoss(valid ? z : -z);
        logits[a] = static_cast<float>(scale * share * (Sigmoid(z) - (valid ? 1 : 0)));
      }
    }
    std::fill(logits + outputs_, logits + padded_, 0.0f);
  }
  Grow(d_rows_, rows.count() * width_);
  Backward(rows);
  rows.ScatterAdd(d_rows_.data(), d_hidden);
  return loss;
}

void LossTerm::Backward(const TermRows& rows) {
  if (own_) {
    own_->weights.Backward(rows.count(), rows.values(), logits_.data(), d_rows_.data());
    AddColumnSums(rows.count(), padded_, logits_.data(), parameters_.gradient(own_->bias));
    return;
  }
  tied_->input_gradient(rows.count(), logits_.data(), parameters_.value(embedding_),
                        d_rows_.data());
  tied_->weight_gradient(rows.count(), logits_.data(), rows.values(),
                         parameters_.gradient(embedding_));
}

TermLogits LossTerm::Logits(const TermRows& rows) {
  Grow(logits_, rows.count() * padded_);
  if (own_) {
    own_->weights.Forward(rows.count(), rows.values(), logits_.data());
    AddBias(rows.count(), padded_, parameters_.value(own_->bias), logits_.data());
  } else {
    tied_->logits(rows.count(), rows.values(), tied_->transposed.data(), logits_.data());
  }
  return {logits_.data(), outputs_, padded_};
}

double LossTerm::Bytes(std::size_t length) const {
  return static_cast<double>(length + 1) * static_cast<double>(outputs_ * sizeof(float));
}

void AddScores(const LossTermInfo& term, const Batch& batch, const TermRows& rows,
               const TermLogits& logits, std::span<TermScore> scores) {
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const TermRows::Place place = rows.places()[r];
    term.Score(batch, place, logits.Row(r), scores[place.string]);
  }
}

}  // namespace flare
