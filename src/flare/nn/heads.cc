#include "flare/nn/heads.h"

#include <algorithm>
#include <cmath>

#include "flare/nn/kernels/bias_kernels.h"
#include "flare/nn/logistic.h"

namespace flare {
namespace {

// log Σ exp(z) = highest + log(sum), without overflow.
struct Exponentials {
  double highest, sum;
};
Exponentials HighestAndSum(std::span<const float> logits) {
  Exponentials result{*std::max_element(logits.begin(), logits.end()), 0};
  for (const float z : logits) result.sum += std::exp(z - result.highest);
  return result;
}

}  // namespace

void PositiveRows::Gather(const Batch& batch, const Group& group, const float* hidden) {
  rows_.clear();
  places_.clear();
  for (std::size_t i = 0; i < group.num_strings(); ++i) {
    if (batch.labels[group.string(i)] == 0) continue;
    for (std::size_t t = 0; t <= group.length(i); ++t) {
      rows_.push_back(group.Row(i, t));
      places_.push_back({group.string(i), t});
    }
  }
  Grow(values_, rows_.size() * width_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::copy_n(hidden + rows_[r] * width_, width_, values_.data() + r * width_);
  }
}

void PositiveRows::ScatterAdd(const float* gradient, float* d_hidden) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    float* d_row = d_hidden + rows_[r] * width_;
    for (std::size_t j = 0; j < width_; ++j) d_row[j] += gradient[r * width_ + j];
  }
}

// Exponentials and logarithms below are taken in double and rounded to float, so that the last bits
// of a machine's libm do not show.

LmHead::LmHead(Parameters& parameters, std::size_t embedding, std::size_t vocabulary,
               std::size_t width)
    : parameters_(parameters),
      embedding_(embedding),
      outputs_(vocabulary + 1),
      padded_(Padded(outputs_)),
      width_(width),
      transposed_(width * padded_, 0),
      product_(padded_, width, width, padded_, padded_, false, parameters.target()),
      gradient_(width, outputs_, padded_, width, width, false, parameters.target()),
      weight_gradient_(width, outputs_, padded_, width, width, parameters.target()) {}

void LmHead::ParametersChanged() {
  const float* table = parameters_.value(embedding_);
  for (std::size_t a = 0; a < outputs_; ++a) {
    for (std::size_t j = 0; j < width_; ++j) transposed_[j * padded_ + a] = table[a * width_ + j];
  }
}

void LmHead::ComputeLogits(const PositiveRows& rows) {
  Grow(logits_, rows.count() * padded_);
  product_(rows.count(), rows.values(), transposed_.data(), logits_.data());
}

double LmHead::Loss(const Batch& batch, const PositiveRows& rows, double scale, float* d_hidden) {
  ComputeLogits(rows);
  Grow(d_rows_, rows.count() * width_);
  double loss = 0;
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const auto [string, t] = rows.places()[r];
    const std::size_t length = batch.length(string);
    const std::size_t target = t < length ? batch.string(string)[t] : outputs_ - 1;
    const double share = 1 / static_cast<double>(length + 1);
    float* logits = logits_.data() + r * padded_;
    const auto [highest, sum] = HighestAndSum({logits, outputs_});
    loss += share * (highest + std::log(sum) - logits[target]);
    for (std::size_t a = 0; a < outputs_; ++a) {
      const double p = std::exp(logits[a] - highest) / sum;
      logits[a] = static_cast<float>(scale * share * (p - (a == target ? 1 : 0)));
    }
  }
  gradient_(rows.count(), logits_.data(), parameters_.value(embedding_), d_rows_.data());
  rows.ScatterAdd(d_rows_.data(), d_hidden);
  weight_gradient_(rows.count(), logits_.data(), rows.values(), parameters_.gradient(embedding_));
  return loss;
}

void LmHead::Score(const Batch& batch, const PositiveRows& rows, std::span<ExampleScores> scores) {
  ComputeLogits(rows);
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const auto [string, t] = rows.places()[r];
    const std::size_t length = batch.length(string);
    const std::size_t target = t < length ? batch.string(string)[t] : outputs_ - 1;
    const float* logits = logits_.data() + r * padded_;
    const auto [highest, sum] = HighestAndSum({logits, outputs_});
    scores[string].lm_cross_entropy +=
        (highest + std::log(sum) - logits[target]) / static_cast<double>(length + 1);
  }
}

namespace {

ParameterSpec NextSymbolWeights(std::size_t outputs, std::size_t hidden) {
  ParameterSpec weights = MatrixSpec("next_symbols_head.weight", outputs, hidden);
  weights.initialization = Initialization::kXavierUniform;
  weights.counts = false;
  return weights;
}

}  // namespace

NextSymbolHead::NextSymbolHead(Parameters& parameters, std::size_t vocabulary, std::size_t hidden,
                               std::size_t width)
    : parameters_(parameters),
      outputs_(vocabulary + 1),
      padded_(Padded(outputs_)),
      width_(width),
      linear_(parameters, NextSymbolWeights(outputs_, hidden)) {
  ParameterSpec bias = VectorSpec("next_symbols_head.bias", outputs_);
  bias.initialization = Initialization::kZero;
  bias.counts = false;
  bias_ = parameters.Add(bias);
}

void NextSymbolHead::ParametersChanged() { linear_.ParametersChanged(); }

void NextSymbolHead::ComputeLogits(const PositiveRows& rows) {
  Grow(logits_, rows.count() * padded_);
  linear_.Forward(rows.count(), rows.values(), logits_.data());
}

double NextSymbolHead::Loss(const Batch& batch, const PositiveRows& rows, double scale,
                            float* d_hidden) {
  ComputeLogits(rows);
  Grow(d_rows_, rows.count() * width_);
  const float* bias = parameters_.value(bias_);
  const std::size_t words = batch.words_per_set();
  double loss = 0;
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const auto [string, t] = rows.places()[r];
    const double share =
        1 / (static_cast<double>(batch.length(string) + 1) * static_cast<double>(outputs_));
    const std::uint64_t* set = batch.next_symbols.data() + (batch.first_set[string] + t) * words;
    float* logits = logits_.data() + r * padded_;
    for (std::size_t a = 0; a < outputs_; ++a) {
      const auto z = static_cast<double>(logits[a] + bias[a]);
      const bool valid = ((set[a / 64] >> (a % 64)) & 1) != 0;
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

void NextSymbolHead::Score(const Batch& batch, const PositiveRows& rows,
                           std::span<ExampleScores> scores) {
  ComputeLogits(rows);
  const float* bias = parameters_.value(bias_);
  const std::size_t words = batch.words_per_set();
  for (std::size_t r = 0; r < rows.count(); ++r) {
    const auto [string, t] = rows.places()[r];
    const std::uint64_t* set = batch.next_symbols.data() + (batch.first_set[string] + t) * words;
    const float* logits = logits_.data() + r * padded_;
    double loss = 0;
    bool right = true;
    for (std::size_t a = 0; a < outputs_; ++a) {
      const auto z = static_cast<double>(logits[a] + bias[a]);
      const bool valid = ((set[a / 64] >> (a % 64)) & 1) != 0;
      loss += LogisticLoss(valid ? z : -z);
      right = right && (z >= 0) == valid;
    }
    scores[string].next_symbol_cross_entropy +=
        loss / (static_cast<double>(batch.length(string) + 1) * static_cast<double>(outputs_));
    scores[string].next_symbol_sets_right += right ? 1 : 0;
  }
}

}  // namespace flare
