#include "support/chi_square.h"

#include <cmath>

#include "flare/base/error.h"

namespace flare {
namespace {

// The regularized upper incomplete gamma function: a series below a+1, a continued fraction above.
double UpperGamma(double a, double x) {
  if (x <= 0) return 1;
  const double front = std::exp(-x + a * std::log(x) - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; term > sum * 1e-16; ++k) sum += term *= x / (a + k);
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const double factor = c * d;
    h *= factor;
    if (std::abs(factor - 1) < 1e-16) break;
  }
  return front * h;
}

}  // namespace

double ChiSquareTail(double x, double degrees) { return UpperGamma(degrees / 2, x / 2); }

double ChiSquarePValue(const std::vector<std::size_t>& observed,
                       const std::vector<double>& expected) {
  FLARE_CHECK(observed.size() == expected.size());
  double statistic = 0, pooled_observed = 0, pooled_expected = 0;
  std::size_t cells = 0;
  const auto add = [&](double o, double e) {
    statistic += (o - e) * (o - e) / e;
    ++cells;
  };
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const auto o = static_cast<double>(observed[i]);
    if (expected[i] == 0 && observed[i] > 0) return 0;
    if (expected[i] >= 5) {
      add(o, expected[i]);
    } else {
      pooled_observed += o;
      pooled_expected += expected[i];
    }
  }
  if (pooled_expected >= 5) add(pooled_observed, pooled_expected);
  FLARE_CHECK(cells >= 2);
  return ChiSquareTail(statistic, static_cast<double>(cells - 1));
}

}  // namespace flare
