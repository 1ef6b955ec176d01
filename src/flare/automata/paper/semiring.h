// What a semiring is to the algorithms here (paper, Definitions 2, 3 and 7).
//
// A semiring is a small object, usually empty, and not a static class: the binning semiring carries
// its order D. A weight is a plain value. The laws (⊕ and ⊗ associative, ⊕ commutative, ⊗
// distributes, 0 absorbs, a* = 1 ⊕ a ⊗ a*) are checked on random elements by
// tests/support/semiring_laws.h for every semiring.

#ifndef FLARE_AUTOMATA_PAPER_SEMIRING_H_
#define FLARE_AUTOMATA_PAPER_SEMIRING_H_

#include <algorithm>
#include <cmath>
#include <concepts>

namespace flare {

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

// For ApproxEqual: equal up to 1e-12 of the larger magnitude, or of `unit` if that is larger. An
// infinity is near itself only.
inline bool NearlyEqual(double a, double b, double unit = 0) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-12 * std::max({unit, std::abs(a), std::abs(b)});
}

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_SEMIRING_H_
