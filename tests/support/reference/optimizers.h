// The optimizers in plain scalar code, in double, one number at a time: what the engine's kernels
// must agree with.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_OPTIMIZERS_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_OPTIMIZERS_H_

#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "flare/nn/optimizer.h"

namespace flare::reference {

// One number that is optimized, and what an optimizer remembers of it.
struct Optimized {
  double x = 0;
  double mean = 0, square = 0, momentum = 0;
};

// One step with the gradient g, which was clipped; t is from 1. `decay` is the weight decay of this
// number.
using OptimizerStep = void (*)(const OptimizerConfig& c, double rate, double decay, int t, double g,
                               Optimized& o);

inline void AdamMoments(const OptimizerConfig& c, double rate, int t, double g, Optimized& o) {
  o.mean = c.beta1 * o.mean + (1 - c.beta1) * g;
  o.square = c.beta2 * o.square + (1 - c.beta2) * g * g;
  const double mean = o.mean / (1 - std::pow(c.beta1, t));
  const double square = o.square / (1 - std::pow(c.beta2, t));
  o.x -= rate * mean / (std::sqrt(square) + c.epsilon);
}

// By name: an optimizer without one fails the test of the catalogue.
inline const std::map<std::string, OptimizerStep>& OptimizerSteps() {
  static const std::map<std::string, OptimizerStep> steps = {
      {"adam", [](const OptimizerConfig& c, double rate, double decay, int t, double g,
                  Optimized& o) { AdamMoments(c, rate, t, g + decay * o.x, o); }},
      {"adamw",
       [](const OptimizerConfig& c, double rate, double decay, int t, double g, Optimized& o) {
         o.x -= rate * decay * o.x;
         AdamMoments(c, rate, t, g, o);
       }},
      {"sgd",
       [](const OptimizerConfig& c, double rate, double decay, int, double g, Optimized& o) {
         o.momentum = c.momentum * o.momentum + g + decay * o.x;
         o.x -= rate * o.momentum;
       }},
      {"rmsprop",
       [](const OptimizerConfig& c, double rate, double decay, int, double g, Optimized& o) {
         const double whole = g + decay * o.x;
         o.square = c.rmsprop_decay * o.square + (1 - c.rmsprop_decay) * whole * whole;
         o.momentum = c.momentum * o.momentum + whole / (std::sqrt(o.square) + c.epsilon);
         o.x -= rate * o.momentum;
       }},
  };
  return steps;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_OPTIMIZERS_H_
