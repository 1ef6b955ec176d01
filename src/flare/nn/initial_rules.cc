#include "flare/nn/initial_rules.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "flare/base/error.h"

namespace flare {

double DrawStepBias(Rng& rng) {
  constexpr double kLeast = 0.001, kMost = 0.1;
  const double step =
      std::exp(std::log(kLeast) + rng.Uniform() * (std::log(kMost) - std::log(kLeast)));
  // The inverse of softplus.
  return step + std::log(-std::expm1(-step));
}

double DrawLogRate(Rng& rng) { return std::log(16 * (1 - rng.Uniform())); }

// Box, Muller 1958.
double DrawNormal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.Uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.Uniform());
}

ParameterSpec ReferenceUniform(ParameterSpec spec, double limit) {
  spec.reference = [limit](std::size_t, Rng& rng) { return limit * (2 * rng.Uniform() - 1); };
  return spec;
}

ParameterSpec ReferenceNormal(ParameterSpec spec, double deviation) {
  spec.reference = [deviation](std::size_t, Rng& rng) { return deviation * DrawNormal(rng); };
  return spec;
}

ParameterSpec ReferenceConstant(ParameterSpec spec, double value) {
  spec.reference = [value](std::size_t, Rng&) { return value; };
  return spec;
}

ParameterSpec ReferenceLinear(ParameterSpec spec) {
  FLARE_CHECK(spec.shape.size() == 2);
  const double limit = 1 / std::sqrt(static_cast<double>(spec.shape[1]));
  return ReferenceUniform(std::move(spec), limit);
}

}  // namespace flare
