// Exact derivatives of the scalar references: a number that remembers how it was computed. The
// chain rule, applied backwards from a loss, gives its derivative with respect to every variable at
// once, for a few times the cost of the loss. So a test can look at every element of a gradient,
// which central differences, with two losses for each element, are too slow for.
//
//   Tape tape;
//   const Traced x = tape.Variable(2), y = x * exp(x);
//   tape.GradientOf(y)[x.at()]    // (1 + x) exp(x)
//
// Kinks have the derivative of the side that was computed.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_TRACED_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_TRACED_H_

#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace flare::reference {

class Traced;

// Every number that was computed while it lives in this thread: which numbers it was computed from,
// and its partial derivative with respect to each. There is at most one in a thread.
class Tape {
 public:
  Tape() { Current() = this; }
  ~Tape() { Current() = nullptr; }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Traced Variable(double value);
  // By the place of a number on the tape.
  std::vector<double> GradientOf(const Traced& loss) const;

 private:
  friend class Traced;
  static Tape*& Current() {
    thread_local Tape* current = nullptr;
    return current;
  }
  void AddParent(std::uint32_t parent, double partial) {
    if (parent == kConstant) return;
    parents_.push_back(parent);
    partials_.push_back(partial);
  }
  std::uint32_t Finish() {
    ends_.push_back(parents_.size());
    return static_cast<std::uint32_t>(ends_.size() - 1);
  }
  static constexpr std::uint32_t kConstant = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::size_t> ends_;  // of each number's parents
  std::vector<std::uint32_t> parents_;
  std::vector<double> partials_;
};

class Traced {
 public:
  Traced() = default;
  // A constant.
  template <class N>
  requires std::is_arithmetic_v<N> Traced(N value) : value_(static_cast<double>(value)) {}

  double value() const { return value_; }
  std::size_t at() const { return at_; }

  // f(a) or f(a, b), with its partial derivatives.
  static Traced Of(double value, const Traced& a, double by_a) {
    if (a.at_ == Tape::kConstant) return value;
    Tape& tape = *Tape::Current();
    tape.AddParent(a.at_, by_a);
    return {value, tape.Finish()};
  }
  static Traced Of(double value, const Traced& a, double by_a, const Traced& b, double by_b) {
    if (a.at_ == Tape::kConstant) return Of(value, b, by_b);
    Tape& tape = *Tape::Current();
    tape.AddParent(a.at_, by_a);
    tape.AddParent(b.at_, by_b);
    return {value, tape.Finish()};
  }
  // start + Σ a_i b_i
  static Traced Dot(const Traced& start, std::span<const Traced> a, const Traced* b) {
    double value = start.value_;
    Tape& tape = *Tape::Current();
    tape.AddParent(start.at_, 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      value += a[i].value_ * b[i].value_;
      tape.AddParent(a[i].at_, b[i].value_);
      tape.AddParent(b[i].at_, a[i].value_);
    }
    return {value, tape.Finish()};
  }

  friend Traced operator+(const Traced& a, const Traced& b) {
    return Of(a.value_ + b.value_, a, 1, b, 1);
  }
  friend Traced operator-(const Traced& a, const Traced& b) {
    return Of(a.value_ - b.value_, a, 1, b, -1);
  }
  friend Traced operator*(const Traced& a, const Traced& b) {
    return Of(a.value_ * b.value_, a, b.value_, b, a.value_);
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    return Of(a.value_ / b.value_, a, 1 / b.value_, b, -a.value_ / (b.value_ * b.value_));
  }
  friend Traced operator-(const Traced& a) { return Of(-a.value_, a, -1); }
  Traced& operator+=(const Traced& b) { return *this = *this + b; }
  Traced& operator-=(const Traced& b) { return *this = *this - b; }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator/=(const Traced& b) { return *this = *this / b; }

  friend bool operator==(const Traced& a, const Traced& b) { return a.value_ == b.value_; }
  friend std::partial_ordering operator<=>(const Traced& a, const Traced& b) {
    return a.value_ <=> b.value_;
  }

  friend Traced exp(const Traced& a) {
    const double e = std::exp(a.value_);
    return Of(e, a, e);
  }
  friend Traced log(const Traced& a) { return Of(std::log(a.value_), a, 1 / a.value_); }
  friend Traced sqrt(const Traced& a) {
    const double root = std::sqrt(a.value_);
    return Of(root, a, 0.5 / root);
  }
  friend Traced tanh(const Traced& a) {
    const double y = std::tanh(a.value_);
    return Of(y, a, 1 - y * y);
  }
  friend Traced abs(const Traced& a) { return Of(std::abs(a.value_), a, a.value_ < 0 ? -1 : 1); }
  // To a constant power.
  friend Traced pow(const Traced& a, const Traced& power) {
    const double p = power.value_;
    return Of(std::pow(a.value_, p), a, p * std::pow(a.value_, p - 1));
  }

 private:
  friend class Tape;
  Traced(double value, std::uint32_t at) : value_(value), at_(at) {}

  double value_ = 0;
  std::uint32_t at_ = Tape::kConstant;
};

inline Traced Tape::Variable(double value) { return {value, Finish()}; }

inline std::vector<double> Tape::GradientOf(const Traced& loss) const {
  std::vector<double> gradient(ends_.size(), 0);
  if (loss.at_ == kConstant) return gradient;
  gradient[loss.at_] = 1;
  for (std::size_t n = loss.at_ + std::size_t{1}; n-- > 0;) {
    for (std::size_t e = n == 0 ? 0 : ends_[n - 1]; e < ends_[n]; ++e) {
      gradient[parents_[e]] += gradient[n] * partials_[e];
    }
  }
  return gradient;
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_TRACED_H_
