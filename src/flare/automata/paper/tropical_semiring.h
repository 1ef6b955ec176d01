// (ℝ≥0 ∪ {∞}, min, +, ∞, 0): shortest paths, hence edit distances (paper, Appendix J).

#ifndef FLARE_AUTOMATA_PAPER_TROPICAL_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_TROPICAL_SEMIRING_H_

#include <algorithm>
#include <limits>

#include "flare/automata/paper/semiring.h"

namespace flare {

struct TropicalSemiring {
  using Weight = double;
  double Zero() const { return std::numeric_limits<double>::infinity(); }
  double One() const { return 0; }
  double Plus(double a, double b) const { return std::min(a, b); }
  double Times(double a, double b) const { return a + b; }
  double Star(double) const { return 0; }
  // Exact for the integer weights of edit distances.
  bool ApproxEqual(double a, double b) const { return NearlyEqual(a, b); }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_TROPICAL_SEMIRING_H_
