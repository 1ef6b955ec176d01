// (ℝ ∪ {±∞}, log(exp · + exp ·), +, −∞, 0): probabilities as natural logarithms, safe from
// underflow. +∞ is included so that a* exists for every a; −∞ + ∞ = −∞, as 0 × ∞ = 0.

#ifndef FLARE_AUTOMATA_PAPER_LOG_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_LOG_SEMIRING_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "flare/automata/paper/semiring.h"

namespace flare {

struct LogSemiring {
  using Weight = double;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double Zero() const { return -kInfinity; }
  double One() const { return 0; }
  double Plus(double a, double b) const {
    const double high = std::max(a, b);
    const double low = std::min(a, b);
    if (low == -kInfinity || high == kInfinity) return high;
    return high + std::log1p(std::exp(low - high));
  }
  double Times(double a, double b) const {
    return a == -kInfinity || b == -kInfinity ? -kInfinity : a + b;
  }
  // −log(1 − exp a), in the form that keeps its digits when exp a is near 1.
  double Star(double a) const { return a < 0 ? -std::log(-std::expm1(a)) : kInfinity; }
  double Divide(double a, double b) const { return a == -kInfinity ? a : a - b; }
  double FromReal(double p) const { return std::log(p); }
  double ToReal(double a) const { return std::exp(a); }
  // An absolute error of a logarithm is a relative error of the probability.
  bool ApproxEqual(double a, double b) const { return NearlyEqual(a, b, 1); }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_LOG_SEMIRING_H_
