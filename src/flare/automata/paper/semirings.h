// The semirings of the paper, and what a semiring is to the algorithms here (paper, Definitions 2,
// 3 and 7). The binning semiring, which is made from another one, has a file of its own.

#ifndef FLARE_AUTOMATA_PAPER_SEMIRINGS_H_
#define FLARE_AUTOMATA_PAPER_SEMIRINGS_H_

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "flare/base/error.h"

namespace flare {

// A semiring is a small object, usually empty, and not a static class: the binning semiring carries
// its order D. A weight is a plain value. The laws (⊕ and ⊗ associative, ⊕ commutative, ⊗
// distributes, 0 absorbs, a* = 1 ⊕ a ⊗ a*) are checked on random elements by
// tests/support/semiring_laws.h for every semiring.
template <class S>
concept Semiring = requires(const S& s, const typename S::Weight& a, const typename S::Weight& b) {
  { s.Zero() } -> std::convertible_to<typename S::Weight>;
  { s.One() } -> std::convertible_to<typename S::Weight>;
  { s.Plus(a, b) } -> std::convertible_to<typename S::Weight>;
  { s.Times(a, b) } -> std::convertible_to<typename S::Weight>;
  // Equal up to the rounding that the semiring's own arithmetic causes.
  { s.ApproxEqual(a, b) } -> std::same_as<bool>;
};

// Star(a) = a* = ⊕ᵢ aⁱ exists, if need be as an infinity. Counting is the exception: its star
// exists for 0 only, which is all that binning needs (Eq. 11 stars the bin of length 0).
template <class S>
concept Closed = Semiring<S> && requires(const S& s, const typename S::Weight& a) {
  { s.Star(a) } -> std::convertible_to<typename S::Weight>;
};

// Divide(a, b) solves x ⊗ b = a for b ≠ 0, and a weight has a value as a probability.
template <class S>
concept Probabilistic = Semiring<S> &&
    requires(const S& s, const typename S::Weight& a, const typename S::Weight& b) {
  { s.Divide(a, b) } -> std::convertible_to<typename S::Weight>;
  { s.FromReal(0.5) } -> std::convertible_to<typename S::Weight>;
  { s.ToReal(a) } -> std::same_as<double>;
};

// Used by ApproxEqual: are two numbers equal up to 1e-12 of the larger magnitude, or of `unit` if
// that is larger? An infinity is near itself only.
inline bool NearlyEqual(double a, double b, double unit = 0) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-12 * std::max({unit, std::abs(a), std::abs(b)});
}

// ({false, true}, ∨, ∧, false, true): is there a path at all?
struct BooleanSemiring {
  using Weight = bool;
  bool Zero() const { return false; }
  bool One() const { return true; }
  bool Plus(bool a, bool b) const { return a || b; }
  bool Times(bool a, bool b) const { return a && b; }
  bool Star(bool) const { return true; }
  bool ApproxEqual(bool a, bool b) const { return a == b; }
};

// (ℕ, +, ×, 0, 1) in big integers: how many paths there are, exactly (paper, Appendix F).
struct CountingSemiring {
  using Weight = mpz_class;
  Weight Zero() const { return 0; }
  Weight One() const { return 1; }
  Weight Plus(const Weight& a, const Weight& b) const { return a + b; }
  Weight Times(const Weight& a, const Weight& b) const { return a * b; }
  // Only 0* = 1 is a natural number. Requires: a = 0.
  Weight Star(const Weight& a) const {
    FLARE_CHECK(a == 0);
    return 1;
  }
  bool ApproxEqual(const Weight& a, const Weight& b) const { return a == b; }
};

// ([0, ∞], +, ×, 0, 1): probabilities. ∞ is included so that a* exists for every a, with 0 × ∞ = 0.
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

// (ℝ ∪ {±∞}, log(exp · + exp ·), +, −∞, 0): probabilities as natural logarithms, safe from
// underflow. +∞ is included so that a* exists for every a; −∞ + ∞ = −∞, as 0 × ∞ = 0.
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

// (ℝ≥0 ∪ {∞}, min, +, ∞, 0): shortest paths, hence edit distances (paper, Appendix J).
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

#endif  // FLARE_AUTOMATA_PAPER_SEMIRINGS_H_
