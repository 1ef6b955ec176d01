#include "support/reference/traced.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/reference/basics.h"

namespace flare::reference {
namespace {

// Every operation, each in another place of its arguments, with constants and shared parts.
template <class T>
T Everything(const std::vector<T>& x) {
  T a = exp(x[0]) / (1 + exp(-x[1])) - 2 * tanh(x[2]);
  a *= x[3] - 0.5;
  a /= 3 - sqrt(x[4]);
  T b = log(x[5] * x[5] + 1) + pow(x[4], T(0.3));
  b -= a > b ? a * b : b / (a + 7);
  b += Dot(x[1], x.data(), x.data() + 2, 3);
  return b + Dot(T(2), x.data() + 1, x.data() + 1, 4) * a;
}

TEST(Tape, AgreesWithCentralDifferences) {
  std::vector<double> x = {0.3, -1.2, 0.8, 1.7, 0.6, -0.4};
  Tape tape;
  std::vector<Traced> traced;
  for (const double value : x) traced.push_back(tape.Variable(value));
  const Traced y = Everything(traced);
  EXPECT_DOUBLE_EQ(y.value(), Everything(x));
  const std::vector<double> gradient = tape.GradientOf(y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(gradient[traced[i].at()], Derivative([&] { return Everything(x); }, x[i]), 2e-7)
        << i;
  }
}

TEST(Tape, AConstantHasNoGradient) {
  Tape tape;
  const Traced x = tape.Variable(2);
  EXPECT_EQ(tape.GradientOf(Traced(3) * 4)[x.at()], 0);
  EXPECT_EQ(tape.GradientOf(x)[x.at()], 1);
}

}  // namespace
}  // namespace flare::reference
