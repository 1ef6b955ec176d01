// Stochastic gradient descent with momentum μ and weight decay λ, and RMSprop (Hinton 2012), as
// PyTorch has them. With the gradient of the loss plus λx as g,
//
//   SGD      b ← μ b + g                    x ← x − η b
//   RMSprop  v ← α v + (1−α) g²
//            b ← μ b + g / (√v + ε)         x ← x − η b

#include "flare/nn/kernels/optimizer_kernels.h"
#include "flare/nn/optimizer.h"

namespace flare {

OptimizerInfo DescribeSgd() {
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

OptimizerInfo DescribeRmsProp() {
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

}  // namespace flare
