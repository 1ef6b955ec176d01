#include "flare/nn/optimizer.h"

#include <algorithm>
#include <cmath>

#include "flare/base/error.h"
#include "flare/nn/kernels/optimizer_kernels.h"
#include "flare/nn/target.h"

namespace flare {

namespace {

// Matrices and embeddings decay. Biases, norms and initial states are vectors; what has an initial
// rule of its own, as Mamba's logarithms of rates, is no weight.
bool IsWeight(const ParameterSpec& spec) {
  return spec.shape.size() > 1 && spec.initialization != Initialization::kOwn;
}

}  // namespace

Optimizer::Optimizer(const Parameters& parameters, const OptimizerConfig& config)
    : config_(config), info_(FindOptimizer(config.name)) {
  FLARE_CHECK(info_ != nullptr && info_->state.size() <= kMostOptimizerStates);
  const std::size_t size = parameters.flat_size();
  for (std::size_t i = 0; i < info_->state.size(); ++i) state_.emplace_back(size, 0.0f);
  const auto& specs = parameters.specs();
  for (std::size_t p = 0; p < specs.size(); ++p) {
    const std::size_t end = p + 1 < specs.size() ? specs[p + 1].offset : size;
    const bool decays = config.weight_decay > 0 && (config.decays_all || IsWeight(specs[p]));
    // Neighbours that are treated alike are one stretch.
    if (!stretches_.empty() && stretches_.back().decays == decays) {
      stretches_.back().end = end;
    } else {
      stretches_.push_back({specs[p].offset, end, decays});
    }
  }
}

double Optimizer::Step(double learning_rate, Parameters& parameters) {
  const TargetScope scope(parameters.target());
  const std::size_t size = parameters.flat_size();
  const double norm = std::sqrt(SumOfSquares(size, parameters.gradients().data()));
  const double scale =
      config_.clip_norm > 0 && norm > config_.clip_norm ? config_.clip_norm / norm : 1;
  ++steps_;
  OptimizerUpdate update{.config = config_,
                         .learning_rate = learning_rate,
                         .step = steps_,
                         .gradient_scale = scale,
                         .weight_decay = 0,
                         .count = 0,
                         .gradient = nullptr,
                         .state = {},
                         .values = nullptr};
  for (const Stretch& stretch : stretches_) {
    update.weight_decay = stretch.decays ? config_.weight_decay : 0;
    update.count = stretch.end - stretch.begin;
    update.gradient = parameters.gradients().data() + stretch.begin;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      update.state[i] = state_[i].data() + stretch.begin;
    }
    update.values = parameters.values().data() + stretch.begin;
    info_->update(update);
  }
  return norm;
}

void Optimizer::Restore(std::uint64_t steps, std::span<const std::vector<float>> state) {
  FLARE_CHECK(state.size() == state_.size());
  steps_ = steps;
  for (std::size_t i = 0; i < state.size(); ++i) {
    FLARE_CHECK(state[i].size() == state_[i].size());
    std::copy(state[i].begin(), state[i].end(), state_[i].begin());
  }
}

}  // namespace flare
