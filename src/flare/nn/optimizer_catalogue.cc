// The optimizers. To add one, write its function and its line in OptimizerCatalog.

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "flare/nn/kernels/optimizer_kernels.h"
#include "flare/nn/optimizer.h"

namespace flare {
namespace {

// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019). With the gradient g of step t,
//
//   m ← β₁ m + (1−β₁) g      v ← β₂ v + (1−β₂) g²
//   x ← x − η (m/(1−β₁ᵗ)) / (√(v/(1−β₂ᵗ)) + ε)
//
// Weight decay λ adds λx to the gradient in Adam, as L2 regularization does, and multiplies x by
// 1−ηλ before the step in AdamW.

// x is multiplied by `shrink`; `coupled` is the weight decay that is part of the gradient.
void AdamUpdate(const OptimizerUpdate& u, double coupled, double shrink) {
  const OptimizerConfig& config = u.config;
  const auto t = static_cast<double>(u.step);
  const double first = 1 - std::pow(config.beta1, t);
  const double second = std::sqrt(1 - std::pow(config.beta2, t));
  const auto decay = [&](double beta) {
    const auto rounded = static_cast<float>(beta);
    return AdamDecay{rounded, config.rounded_betas ? 1 - rounded : static_cast<float>(1 - beta)};
  };
  if (coupled > 0 || shrink < 1) {
    AdamStepWithDecay(u.count, static_cast<float>(u.gradient_scale), static_cast<float>(coupled),
                      static_cast<float>(shrink),
                      static_cast<float>(u.learning_rate * second / first), decay(config.beta1),
                      decay(config.beta2), static_cast<float>(config.epsilon * second), u.gradient,
                      u.state[0], u.state[1], u.values);
    return;
  }
  AdamStep(u.count, static_cast<float>(u.gradient_scale),
           static_cast<float>(u.learning_rate * second / first), decay(config.beta1),
           decay(config.beta2), static_cast<float>(config.epsilon * second), u.gradient, u.state[0],
           u.state[1], u.values);
}

const std::vector<std::string> kSettings = {"adam_beta1", "adam_beta2", "adam_epsilon",
                                            "weight_decay", "weight_decay_on"};
const std::vector<std::string> kMoments = {"first_moment", "second_moment"};

OptimizerInfo Adam() {
  return {.name = "adam",
          .help = "weight decay is L2 regularization",
          .settings = kSettings,
          .state = kMoments,
          .update = [](const OptimizerUpdate& u) { AdamUpdate(u, u.weight_decay, 1); }};
}

OptimizerInfo AdamW() {
  return {.name = "adamw",
          .help = "Adam with decoupled weight decay",
          .settings = kSettings,
          .state = kMoments,
          .update = [](const OptimizerUpdate& u) {
            AdamUpdate(u, 0, 1 - u.learning_rate * u.weight_decay);
          }};
}

// Stochastic gradient descent with momentum μ and weight decay λ, and RMSprop (Hinton 2012), as
// PyTorch has them. With the gradient of the loss plus λx as g,
//
//   SGD      b ← μ b + g                    x ← x − η b
//   RMSprop  v ← α v + (1−α) g²
//            b ← μ b + g / (√v + ε)         x ← x − η b

OptimizerInfo Sgd() {
  return {.name = "sgd",
          .help = "stochastic gradient descent",
          .settings = {"momentum", "weight_decay", "weight_decay_on"},
          .state = {"momentum"},
          .update = [](const OptimizerUpdate& u) {
            SgdStep(u.count, static_cast<float>(u.gradient_scale),
                    static_cast<float>(u.weight_decay), static_cast<float>(u.learning_rate),
                    static_cast<float>(u.config.momentum), u.gradient, u.state[0], u.values);
          }};
}

OptimizerInfo RmsProp() {
  return {
      .name = "rmsprop",
      .help = "steps relative to the root of the mean square gradient",
      .settings = {"momentum", "rmsprop_decay", "adam_epsilon", "weight_decay", "weight_decay_on"},
      .state = {"square_mean", "momentum"},
      .update = [](const OptimizerUpdate& u) {
        const double alpha = u.config.rmsprop_decay;
        RmsPropStep(u.count, static_cast<float>(u.gradient_scale),
                    static_cast<float>(u.weight_decay), static_cast<float>(u.learning_rate),
                    {static_cast<float>(alpha), static_cast<float>(1 - alpha)},
                    static_cast<float>(u.config.momentum), static_cast<float>(u.config.epsilon),
                    u.gradient, u.state[0], u.state[1], u.values);
      }};
}

}  // namespace

std::span<const OptimizerInfo> OptimizerCatalog() {
  static const std::vector<OptimizerInfo> optimizers = {
      Adam(),
      AdamW(),
      Sgd(),
      RmsProp(),
  };
  return optimizers;
}

const OptimizerInfo* FindOptimizer(std::string_view name) {
  for (const OptimizerInfo& optimizer : OptimizerCatalog()) {
    if (optimizer.name == name) return &optimizer;
  }
  return nullptr;
}

}  // namespace flare
