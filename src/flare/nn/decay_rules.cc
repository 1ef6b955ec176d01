#include "flare/nn/decay_rules.h"

#include <cmath>

namespace flare {

double DrawStepBias(Rng& rng) {
  constexpr double kLeast = 0.001, kMost = 0.1;
  const double step =
      std::exp(std::log(kLeast) + rng.Uniform() * (std::log(kMost) - std::log(kLeast)));
  // The inverse of softplus.
  return step + std::log(-std::expm1(-step));
}

double DrawLogRate(Rng& rng) { return std::log(16 * (1 - rng.Uniform())); }

}  // namespace flare
