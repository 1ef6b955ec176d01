// ([0, ∞], +, ×, 0, 1): probabilities. ∞ is included so that a* exists for every a, with 0 × ∞ = 0.

#ifndef FLARE_AUTOMATA_PAPER_REAL_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_REAL_SEMIRING_H_

#include <limits>

#include "flare/automata/paper/semiring.h"

namespace flare {

struct RealSemiring {
  using Weight = double;
  double Zero() const { return 0; }
  double One() const { return 1; }
  double Plus(double a, double b) const { return a + b; }
  double Times(double a, double b) const { return a == 0 || b == 0 ? 0 : a * b; }
  double Star(double a) const {
    return a < 1 ? 1 / (1 - a) : std::numeric_limits<double>::infinity();
  }
  double Divide(double a, double b) const { return a / b; }
  double FromReal(double p) const { return p; }
  double ToReal(double a) const { return a; }
  // Relative, because sums of up to a few thousand products are compared.
  bool ApproxEqual(double a, double b) const { return NearlyEqual(a, b); }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_REAL_SEMIRING_H_
