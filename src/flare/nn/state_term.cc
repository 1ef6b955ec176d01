// State tracking, of positives and negatives: which state an automaton is in after every prefix,
//
//   p(q | prefix) = softmax(W h + b)_q
//
// The loss of a string is the mean of −log p over its timesteps 0, …, |w|. What the states mean is
// not known here; the batch has their numbers. Exponentials and logarithms are taken in double,
// as in lm_term.cc.

#include <algorithm>
#include <cmath>

#include "flare/base/check.h"
#include "flare/nn/aligned.h"
#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/linear.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/softmax.h"

namespace flare {
namespace {

std::size_t StateOutputs(std::size_t, std::size_t states) { return states; }

std::size_t StateAt(const Batch& batch, TermRows::Place place, std::size_t states) {
  const std::size_t state = batch.states[batch.first_state(place.string) + place.position];
  FLARE_CHECK(state < states);
  return state;
}

// The state that is predicted is the most probable one, the first of several.
void ScoreState(const Batch& batch, TermRows::Place place, std::span<const float> logits,
                TermScore& score) {
  const std::size_t state = StateAt(batch, place, logits.size());
  const auto [highest, sum] = HighestAndSum(logits);
  score.cross_entropy += (highest + std::log(sum) - logits[state]) /
                         static_cast<double>(batch.length(place.string) + 1);
  const auto predicted = std::max_element(logits.begin(), logits.end()) - logits.begin();
  score.right += static_cast<std::size_t>(predicted) == state ? 1 : 0;
  ++score.positions;
  score.applies = true;
}

class StateTerm : public LossTerm {
 public:
  explicit StateTerm(const TermContext& c)
      : parameters_(c.parameters),
        states_(StateOutputs(c.vocabulary, c.states)),
        padded_(Padded(states_)),
        width_(c.width),
        linear_(c.parameters, TermWeights("states_head", states_, c.hidden)),
        bias_(c.parameters.Add(TermBias("states_head", states_))) {}

  void ParametersChanged() override { linear_.ParametersChanged(); }

  double Loss(const Batch& batch, const TermRows& rows, double scale, float* d_hidden) override {
    ComputeLogits(rows);
    Grow(d_rows_, rows.count() * width_);
    double loss = 0;
    for (std::size_t r = 0; r < rows.count(); ++r) {
      const std::size_t state = StateAt(batch, rows.places()[r], states_);
      const double share = 1 / static_cast<double>(batch.length(rows.places()[r].string) + 1);
      float* logits = logits_.data() + r * padded_;
      const auto [highest, sum] = HighestAndSum({logits, states_});
      loss += share * (highest + std::log(sum) - logits[state]);
      for (std::size_t q = 0; q < states_; ++q) {
        const double p = std::exp(logits[q] - highest) / sum;
        logits[q] = static_cast<float>(scale * share * (p - (q == state ? 1 : 0)));
      }
      std::fill(logits + states_, logits + padded_, 0.0f);
    }
    linear_.Backward(rows.count(), rows.values(), logits_.data(), d_rows_.data());
    rows.ScatterAdd(d_rows_.data(), d_hidden);
    AddColumnSums(rows.count(), padded_, logits_.data(), parameters_.gradient(bias_));
    return loss;
  }

  TermLogits Logits(const TermRows& rows) override {
    ComputeLogits(rows);
    return {logits_.data(), states_, padded_};
  }

  double Bytes(std::size_t length) const override {
    return static_cast<double>(length + 1) * static_cast<double>(states_ * sizeof(float));
  }

 private:
  void ComputeLogits(const TermRows& rows) {
    Grow(logits_, rows.count() * padded_);
    linear_.Forward(rows.count(), rows.values(), logits_.data());
    AddBias(rows.count(), padded_, parameters_.value(bias_), logits_.data());
  }

  Parameters& parameters_;
  std::size_t states_, padded_, width_;
  Linear linear_;
  std::size_t bias_;
  FloatArray logits_;  // (rows, padded)
  FloatArray d_rows_;  // (rows, width)
};

std::unique_ptr<LossTerm> MakeStateTerm(const TermContext& c) {
  return std::make_unique<StateTerm>(c);
}

}  // namespace

LossTermInfo DescribeStateTerm() {
  return {.name = "st",
          .key = "state",
          .help = "state tracking: the state of the minimal DFA after every prefix",
          .columns =
              "a column per state of the minimal DFA, then one for prefixes of no member, if there "
              "are any",
          .outputs = StateOutputs,
          .score = ScoreState,
          .figures = {"accuracy.positions", "accuracy.strings"},
          .by_length = true,
          .strings = TermRows::Strings::kAll,
          .needs_states = true,
          .make = MakeStateTerm};
}

}  // namespace flare
