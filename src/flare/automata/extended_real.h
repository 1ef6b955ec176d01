// Non-negative reals with a double's precision and no limit on size: mantissa · 2^exponent.
//
// The weights of long strings leave the range of double after about a thousand symbols. Logarithms
// would keep them, at the price of libm, whose last bits differ between machines. Here every
// operation is made of + − × ÷ and comparisons of doubles, each correctly rounded by IEEE 754, so
// the tables built from them are the same bytes everywhere (the build forbids contraction).
// Relative error of each operation: at most 2^-53.

#ifndef FLARE_AUTOMATA_EXTENDED_REAL_H_
#define FLARE_AUTOMATA_EXTENDED_REAL_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "flare/base/error.h"

namespace flare {

class ExtendedReal {
 public:
  constexpr ExtendedReal() = default;  // 0
  // Requires: a finite, normal value, or 0.
  explicit ExtendedReal(double value) {
    FLARE_DCHECK(value >= 0);
    if (value == 0) return;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    exponent_ = static_cast<std::int64_t>(bits >> 52) - kBias;
    FLARE_DCHECK(exponent_ > -kBias && exponent_ <= kBias);
    mantissa_ = std::bit_cast<double>((bits & kFraction) | (std::uint64_t{kBias} << 52));
  }

  // value · 2^exponent, where only the value need be in a double's range.
  static ExtendedReal Scaled(double value, std::int64_t exponent) {
    ExtendedReal x(value);
    if (!x.IsZero()) x.exponent_ += exponent;
    return x;
  }

  bool IsZero() const { return mantissa_ == 0; }

  friend ExtendedReal operator*(const ExtendedReal& a, const ExtendedReal& b) {
    if (a.IsZero() || b.IsZero()) return {};
    ExtendedReal product(a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_);
    product.Halve();
    return product;
  }

  // Requires: b is not 0.
  friend ExtendedReal operator/(const ExtendedReal& a, const ExtendedReal& b) {
    FLARE_DCHECK(!b.IsZero());
    if (a.IsZero()) return {};
    ExtendedReal ratio(a.mantissa_ / b.mantissa_, a.exponent_ - b.exponent_);
    if (ratio.mantissa_ < 1) {
      ratio.mantissa_ *= 2;
      --ratio.exponent_;
    }
    return ratio;
  }

  friend ExtendedReal operator+(const ExtendedReal& a, const ExtendedReal& b) {
    if (a.IsZero()) return b;
    if (b.IsZero()) return a;
    const bool swap = a.exponent_ < b.exponent_;
    const ExtendedReal& high = swap ? b : a;
    const ExtendedReal& low = swap ? a : b;
    const std::int64_t shift = high.exponent_ - low.exponent_;
    if (shift > 60) return high;  // below half a unit in the last place
    const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(kBias - shift) << 52);
    ExtendedReal sum(high.mantissa_ + low.mantissa_ * scale, high.exponent_);
    sum.Halve();
    return sum;
  }

  ExtendedReal& operator+=(const ExtendedReal& other) { return *this = *this + other; }
  ExtendedReal& operator*=(const ExtendedReal& other) { return *this = *this * other; }

  // The nearest double; 0 below 2^-1022. Requires: less than 2^1024.
  double ToDouble() const {
    if (IsZero() || exponent_ <= -kBias) return 0;
    FLARE_DCHECK(exponent_ <= kBias);
    return mantissa_ * std::bit_cast<double>(static_cast<std::uint64_t>(exponent_ + kBias) << 52);
  }

  // Natural logarithm, by libm: for printing, never for a decision.
  double Log() const {
    return std::log(mantissa_) + static_cast<double>(exponent_) * 0.693147180559945309417;
  }

  bool operator==(const ExtendedReal&) const = default;
  friend bool operator<(const ExtendedReal& a, const ExtendedReal& b) {
    if (a.IsZero() || b.IsZero()) return !b.IsZero() && a.IsZero();
    return a.exponent_ != b.exponent_ ? a.exponent_ < b.exponent_ : a.mantissa_ < b.mantissa_;
  }

 private:
  static constexpr std::int64_t kBias = 1023;
  static constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;

  ExtendedReal(double mantissa, std::int64_t exponent) : mantissa_(mantissa), exponent_(exponent) {}

  // Brings a mantissa in [1, 4) back to [1, 2).
  void Halve() {
    if (mantissa_ >= 2) {
      mantissa_ *= 0.5;
      ++exponent_;
    }
  }

  double mantissa_ = 0;  // 0, or in [1, 2)
  std::int64_t exponent_ = 0;
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_EXTENDED_REAL_H_
