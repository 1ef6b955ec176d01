// Tests by randomization: how often would chance alone give what was observed? They assume nothing
// about the shape of a distribution, and are exact where all outcomes of chance can be enumerated.
//
//   const Tails p = SignFlipTest(differences, rng);   // one value per language
//   p.TwoSided();

#ifndef FLARE_REPORT_RANDOMIZATION_H_
#define FLARE_REPORT_RANDOMIZATION_H_

#include <cstddef>
#include <span>
#include <vector>

#include "flare/base/rng.h"

namespace flare::report {

// How probable it is that chance gives this much or more, this little or less.
struct Tails {
  double upper = 1;
  double lower = 1;
  // The least that either could have been: one of all outcomes. No finding on so few values can be
  // more improbable.
  double least = 1;

  double TwoSided() const;
  double LeastTwoSided() const;
};

// Up to this many outcomes are enumerated; of more, this many are drawn, and what was observed
// counts as one of them, so that no probability is 0 (Phipson, Smyth 2010).
inline constexpr std::size_t kMostOutcomes = std::size_t{1} << 18;
inline constexpr std::size_t kRandomOutcomes = 20'000;

// Chance gives every value either sign with equal probability. What is looked at is their sum.
// Values of ±1 make it the sign test. Requires: at least one value.
Tails SignFlipTest(std::span<const double> values, Rng& rng);

// Two samples that differ in one thing, of what is otherwise alike.
struct Stratum {
  std::vector<double> first, second;
};

// The mean over strata of (mean of the first − mean of the second).
// Requires: at least one stratum, no empty sample.
double StratifiedDifference(std::span<const Stratum> strata);

// Chance deals the values of each stratum out to its two samples. What is looked at is the
// stratified difference. Requires: as above.
Tails StratifiedTest(std::span<const Stratum> strata, Rng& rng);

}  // namespace flare::report

#endif  // FLARE_REPORT_RANDOMIZATION_H_
