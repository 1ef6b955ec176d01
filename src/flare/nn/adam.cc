#include "flare/nn/adam.h"

#include <algorithm>
#include <cmath>

#include "flare/base/check.h"
#include "flare/nn/kernels/adam_kernels.h"
#include "flare/nn/target.h"

namespace flare {

double Adam::Step(double learning_rate, Parameters& parameters) {
  const TargetScope scope(parameters.target());
  const std::size_t size = parameters.flat_size();
  const double norm = std::sqrt(SumOfSquares(size, parameters.gradients().data()));
  const double scale =
      config_.clip_norm > 0 && norm > config_.clip_norm ? config_.clip_norm / norm : 1;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double first = 1 - std::pow(config_.beta1, t);
  const double second = std::sqrt(1 - std::pow(config_.beta2, t));
  const auto decay = [&](double beta) {
    const auto rounded = static_cast<float>(beta);
    return AdamDecay{rounded, config_.rounded_betas ? 1 - rounded : static_cast<float>(1 - beta)};
  };
  AdamStep(size, static_cast<float>(scale), static_cast<float>(learning_rate * second / first),
           decay(config_.beta1), decay(config_.beta2), static_cast<float>(config_.epsilon * second),
           parameters.gradients().data(), m_.data(), v_.data(), parameters.values().data());
  return norm;
}

void Adam::Restore(std::uint64_t steps, std::span<const float> first,
                   std::span<const float> second) {
  FLARE_CHECK(first.size() == m_.size() && second.size() == v_.size());
  steps_ = steps;
  std::copy(first.begin(), first.end(), m_.begin());
  std::copy(second.begin(), second.end(), v_.begin());
}

}  // namespace flare
