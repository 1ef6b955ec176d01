// What the scalar models are made of. Dropout masks come from Random123 by the definition in
// nn/dropout.h.

#ifndef FLARE_TESTS_SUPPORT_REFERENCE_BASICS_H_
#define FLARE_TESTS_SUPPORT_REFERENCE_BASICS_H_

#include <Random123/philox.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "flare/nn/dropout.h"
#include "support/reference/traced.h"

namespace flare::reference {

// For T = double; Traced has its own.
using std::exp;
using std::log;
using std::pow;
using std::sqrt;
using std::tanh;

template <class T>
using Vector = std::vector<T>;
template <class T>
using Weights = std::map<std::string, Vector<T>>;

[[noreturn]] inline void ThrowNoReference(const std::string& architecture) {
  throw std::logic_error(architecture + " has no scalar reference in tests/support/reference");
}

template <class T>
T Sigmoid(T x) {
  return 1 / (1 + exp(-x));
}

// start + Σ a_i b_i for vectors of size n.
inline double Dot(double start, const double* a, const double* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) start += a[i] * b[i];
  return start;
}
inline Traced Dot(const Traced& start, const Traced* a, const Traced* b, std::size_t n) {
  return Traced::Dot(start, {a, n}, b);
}

// out = W x + b for W of shape (size of out, size of x); b may be empty.
template <class T>
Vector<T> AffineMap(const Vector<T>& W, const Vector<T>& b, const Vector<T>& x) {
  const std::size_t rows = W.size() / x.size();
  Vector<T> out;
  for (std::size_t i = 0; i < rows; ++i) {
    out.push_back(Dot(b.empty() ? T(0) : b[i], W.data() + i * x.size(), x.data(), x.size()));
  }
  return out;
}

template <class T>
Vector<T> Row(const Vector<T>& matrix, std::size_t row, std::size_t width) {
  const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * width);
  return Vector<T>(begin, begin + static_cast<std::ptrdiff_t>(width));
}

inline bool Keeps(const Dropout& dropout, std::uint32_t site, std::uint32_t string,
                  std::size_t position, std::size_t unit) {
  const r123::Philox4x32 philox;
  const auto block = philox(
      {{static_cast<std::uint32_t>(unit / 8), static_cast<std::uint32_t>(position), string, site}},
      {{dropout.key.key[0], dropout.key.key[1]}});
  const std::uint32_t word = block[(unit % 8) / 2];
  return (unit % 2 == 0 ? word & 0xFFFF : word >> 16) >= dropout.threshold;
}

template <class T>
Vector<T> Drop(Vector<T> x, const Dropout& dropout, std::uint32_t site, std::uint32_t string,
               std::size_t position) {
  if (!dropout.active()) return x;
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] *= Keeps(dropout, site, string, position, j) ? T(65536.0 / (65536.0 - dropout.threshold))
                                                      : T(0);
  }
  return x;
}

template <class T>
Vector<T> LayerNorm(const Vector<T>& x, const Vector<T>& gain, const Vector<T>& bias) {
  T mean(0), variance(0);
  for (const T& value : x) mean += value / T(x.size());
  for (const T& value : x) variance += (value - mean) * (value - mean) / T(x.size());
  Vector<T> y;
  for (std::size_t j = 0; j < x.size(); ++j) {
    y.push_back(gain[j] * (x[j] - mean) / sqrt(variance + T(1e-5)) + bias[j]);
  }
  return y;
}

// ∂f/∂x by central differences, x being what f() looks at. The step is small because of the kinks
// of ReLU.
template <class F>
double Derivative(F f, double& x) {
  constexpr double kStep = 1e-7;
  const double saved = x;
  x = saved + kStep;
  const double up = f();
  x = saved - kStep;
  const double down = f();
  x = saved;
  return (up - down) / (2 * kStep);
}

}  // namespace flare::reference

#endif  // FLARE_TESTS_SUPPORT_REFERENCE_BASICS_H_
