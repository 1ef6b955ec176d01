#include "flare/nn/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "flare/base/check.h"
#include "flare/base/error.h"
#include "flare/nn/architectures.h"
#include "flare/nn/heads.h"
#include "flare/nn/logistic.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

const Architecture& Find(const std::string& name) {
  const Architecture* architecture = FindArchitecture(name);
  FLARE_CHECK(architecture != nullptr);
  return *architecture;
}

void CheckBytes(std::size_t length, double bytes) {
  if (bytes <= Model::kMostBytes) return;
  throw InputError(
      "", fmt::format("a string of {} symbols takes {:.1f} GB here, more than {:.1f} GB", length,
                      bytes / 1e9, Model::kMostBytes / 1e9));
}

}  // namespace

Model::Model(const ModelConfig& config, Target target)
    : config_(config),
      parameters_(target),
      encoder_(Find(config.architecture)
                   .make({config.vocabulary, config.layers, config.hidden, config.lm_head},
                         parameters_)),
      positives_(encoder_->width()) {
  FLARE_CHECK(config.vocabulary > 0 && config.layers > 0 && config.hidden > 0);
  FLARE_CHECK(config.hidden % Find(config.architecture).size_step == 0);
  ParameterSpec weights = VectorSpec("recognition_head.weight", config.hidden);
  // A matrix of one row in PyTorch, whose Xavier limit depends on both extents.
  weights.shape = {1, config.hidden};
  weights.initialization = Initialization::kXavierUniform;
  recognition_weights_ = parameters_.Add(weights);
  ParameterSpec bias = VectorSpec("recognition_head.bias", 1);
  bias.initialization = Initialization::kZero;
  recognition_bias_ = parameters_.Add(bias);
  const std::size_t width = encoder_->width();
  if (config.lm_head) {
    lm_head_ = std::make_unique<LmHead>(parameters_, encoder_->embedding_parameter(),
                                        config.vocabulary, width);
  }
  if (config.ns_head) {
    ns_head_ =
        std::make_unique<NextSymbolHead>(parameters_, config.vocabulary, config.hidden, width);
  }
  parameters_.Allocate();
}

Model::~Model() = default;

void Model::Initialize(std::uint64_t seed) {
  parameters_.Initialize(seed);
  ParametersChanged();
}

void Model::ParametersChanged() {
  encoder_->ParametersChanged();
  if (lm_head_ != nullptr) lm_head_->ParametersChanged();
  if (ns_head_ != nullptr) ns_head_->ParametersChanged();
}

template <class Visit>
void Model::ForEachGroup(const Batch& batch, Encoder::GroupLimit limit, Visit visit) {
  order_.resize(batch.size());
  std::iota(order_.begin(), order_.end(), 0u);
  // Not std::stable_sort, which allocates.
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return batch.length(a) != batch.length(b) ? batch.length(a) > batch.length(b) : a < b;
  });
  for (std::size_t begin = 0; begin < order_.size();) {
    // Fewer if they are long, one at least.
    const std::size_t rows = batch.length(order_[begin]) + 1;
    const std::size_t most = std::clamp<std::size_t>(limit.rows / rows, 1, limit.strings);
    const std::size_t count = std::min(most, order_.size() - begin);
    group_.Assign(batch, std::span(order_).subspan(begin, count));
    visit(group_);
    begin += count;
  }
}

void Model::CheckReadable(std::size_t length) const {
  if (length <= encoder_->longest()) return;
  throw InputError("", fmt::format("a string of {} symbols: a {} reads strings of up to {}", length,
                                   config_.architecture, encoder_->longest()));
}

void Model::CheckEncodable(std::size_t length, bool heads) const {
  CheckReadable(length);
  CheckBytes(length, encoder_->EncodingBytes(length) + (heads ? LogitBytes(length) : 0));
}

void Model::CheckTrainable(std::size_t length) const {
  CheckReadable(length);
  CheckBytes(length, encoder_->TrainingBytes(length) + LogitBytes(length));
}

double Model::LogitBytes(std::size_t length) const {
  const std::size_t heads = (lm_head_ != nullptr ? 1 : 0) + (ns_head_ != nullptr ? 1 : 0);
  return static_cast<double>(length + 1) *
         static_cast<double>(heads * (config_.vocabulary + 1) * sizeof(float));
}

float Model::Logit(const float* hidden) const {
  const float* weights = parameters_.value(recognition_weights_);
  auto sum = static_cast<double>(*parameters_.value(recognition_bias_));
  for (std::size_t j = 0; j < config_.hidden; ++j) {
    sum += static_cast<double>(weights[j]) * static_cast<double>(hidden[j]);
  }
  return static_cast<float>(sum);
}

Losses Model::Gradients(const Batch& batch, const LossCoefficients& coefficients,
                        const Dropout& dropout) {
  FLARE_CHECK(batch.size() > 0);
  FLARE_CHECK(coefficients.lm == 0 || lm_head_ != nullptr);
  FLARE_CHECK(coefficients.next_symbols == 0 || ns_head_ != nullptr);
  const TargetScope scope(parameters_.target());
  std::fill(parameters_.gradients().begin(), parameters_.gradients().end(), 0.0f);
  const std::size_t width = encoder_->width();
  const double per_example = 1 / static_cast<double>(batch.size());
  const float* weights = parameters_.value(recognition_weights_);
  float* d_weights = parameters_.gradient(recognition_weights_);
  float* d_bias = parameters_.gradient(recognition_bias_);
  const bool auxiliary = coefficients.lm != 0 || coefficients.next_symbols != 0;
  const auto wanted = auxiliary ? Encoder::Positions::kAll : Encoder::Positions::kLast;
  Losses losses;
  ForEachGroup(batch, encoder_->training_group(), [&](const Group& group) {
    CheckTrainable(group.longest());
    const float* hidden = encoder_->Forward(group, dropout, wanted);
    Grow(d_hidden_, group.num_rows() * width);
    std::fill_n(d_hidden_.begin(), group.num_rows() * width, 0.0f);

    for (std::size_t i = 0; i < group.num_strings(); ++i) {
      const std::size_t row = group.Row(i, group.length(i));
      const float* h = hidden + row * width;
      const auto z = static_cast<double>(Logit(h));
      const bool label = batch.labels[group.string(i)] != 0;
      losses.recognition += LogisticLoss(label ? z : -z);
      const auto d_logit = static_cast<float>(per_example * (Sigmoid(z) - (label ? 1 : 0)));
      float* d_h = d_hidden_.data() + row * width;
      for (std::size_t j = 0; j < config_.hidden; ++j) {
        d_h[j] += d_logit * weights[j];
        d_weights[j] += d_logit * h[j];
      }
      *d_bias += d_logit;
    }
    if (auxiliary) {
      positives_.Gather(batch, group, hidden);
      if (coefficients.lm != 0) {
        losses.lm +=
            lm_head_->Loss(batch, positives_, coefficients.lm * per_example, d_hidden_.data());
      }
      if (coefficients.next_symbols != 0) {
        losses.next_symbols += ns_head_->Loss(
            batch, positives_, coefficients.next_symbols * per_example, d_hidden_.data());
      }
    }
    encoder_->Backward(group, dropout, wanted, d_hidden_.data());
  });
  losses.recognition *= per_example;
  losses.lm *= per_example;
  losses.next_symbols *= per_example;
  losses.total = losses.recognition + coefficients.lm * losses.lm +
                 coefficients.next_symbols * losses.next_symbols;
  return losses;
}

void Model::Logits(const Batch& batch, std::vector<float>& logits) {
  const TargetScope scope(parameters_.target());
  logits.resize(batch.size());
  ForEachGroup(batch, encoder_->inference_group(), [&](const Group& group) {
    CheckReadable(group.longest());
    const float* last = encoder_->Infer(group);
    for (std::size_t i = 0; i < group.num_strings(); ++i) {
      logits[group.string(i)] = Logit(last + i * encoder_->width());
    }
  });
}

void Model::Score(const Batch& batch, std::vector<ExampleScores>& scores) {
  scores.assign(batch.size(), {});
  Logits(batch, logits_);
  for (std::size_t i = 0; i < batch.size(); ++i) scores[i].logit = logits_[i];
  const bool score_sets = ns_head_ != nullptr && !batch.next_symbols.empty();
  if (lm_head_ == nullptr && !score_sets) return;
  const TargetScope scope(parameters_.target());
  ForEachGroup(batch, encoder_->training_group(), [&](const Group& group) {
    CheckEncodable(group.longest(), true);
    const float* hidden = encoder_->Encode(group);
    positives_.Gather(batch, group, hidden);
    if (lm_head_ != nullptr) lm_head_->Score(batch, positives_, scores);
    if (score_sets) ns_head_->Score(batch, positives_, scores);
  });
}

void Model::PrefixLogits(const Batch& batch, std::size_t i, std::vector<float>& logits) {
  const TargetScope scope(parameters_.target());
  const auto string = static_cast<std::uint32_t>(i);
  CheckEncodable(batch.length(i), false);
  group_.Assign(batch, {&string, 1});
  const float* hidden = encoder_->Encode(group_);
  logits.resize(batch.length(i) + 1);
  for (std::size_t t = 0; t < logits.size(); ++t) {
    logits[t] = Logit(hidden + group_.Row(0, t) * encoder_->width());
  }
}

std::size_t NumParameters(const ModelConfig& config) {
  const std::size_t d = config.hidden;
  std::size_t count = Find(config.architecture).count(config.vocabulary, config.layers, d) + d + 1;
  if (config.lm_head) count += d;
  if (config.ns_head) count += (config.vocabulary + 1) * (d + 1);
  return count;
}

std::size_t HiddenSizeForBudget(const std::string& name, std::size_t vocabulary, std::size_t layers,
                                std::size_t budget) {
  const Architecture& architecture = Find(name);
  const auto count = [&](std::size_t hidden) {
    return architecture.count(vocabulary, layers, hidden) + hidden + 1;  // the recognition head
  };
  // The count grows with the size: go up until it passes the budget.
  std::size_t hidden = architecture.size_step;
  std::size_t below = count(hidden);
  while (below < budget) {
    const std::size_t above = count(hidden + architecture.size_step);
    if (above >= budget)
      return above - budget < budget - below ? hidden + architecture.size_step : hidden;
    hidden += architecture.size_step;
    below = above;
  }
  return hidden;
}

}  // namespace flare
