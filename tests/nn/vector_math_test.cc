// tanh, the logistic function and their derivatives, as the recurrent kernels compute them, against
// double precision: over a dense grid of floats, for every target.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "flare/nn/aligned.h"
#include "flare/nn/kernels/recurrent_kernels.h"
#include "flare/nn/target.h"

namespace flare {
namespace {

constexpr std::size_t kLanes = 8;

// Every 499th float from 0 to `most`, with both signs, and `most` itself; in whole vectors.
FloatArray DenseFloats(float most) {
  FloatArray floats;
  const auto last = std::bit_cast<std::uint32_t>(most);
  for (std::uint32_t bits = 0; bits < last; bits += 499) {
    floats.push_back(std::bit_cast<float>(bits));
    floats.push_back(-floats.back());
  }
  while (floats.size() % kLanes != 0) floats.push_back(most);
  return floats;
}

// The distance between neighbouring floats at y. From 1 on counts as just below it.
double Ulp(double y) {
  const auto near = static_cast<float>(std::abs(y));
  return static_cast<double>(near) - static_cast<double>(std::nextafter(near, -1.0f));
}

// 1/(1 + exp(−x)), and as precisely for negative x.
double LogisticInDouble(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

FloatArray TanhOf(const FloatArray& x) {
  const FloatArray zero(kLanes, 0);
  FloatArray h(x.size());
  TanhForward(x.size() / kLanes, kLanes, zero.data(), x.data(), h.data());
  return h;
}

// The input gates of LSTM cells with these pre-activations.
FloatArray LogisticOf(const FloatArray& x) {
  const std::size_t rows = x.size() / kLanes;
  const FloatArray bias(4 * kLanes, 0), c_prev(x.size(), 0);
  FloatArray gates(4 * x.size(), 0), c(x.size()), h(x.size()), sigma(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) gates[i / kLanes * 4 * kLanes + i % kLanes] = x[i];
  LstmForward(rows, kLanes, bias.data(), c_prev.data(), gates.data(), c.data(), h.data());
  for (std::size_t i = 0; i < x.size(); ++i) sigma[i] = gates[i / kLanes * 4 * kLanes + i % kLanes];
  return sigma;
}

// What backward multiplies the gradient of h = tanh(x) by.
FloatArray TanhDerivative(const FloatArray& h) {
  const FloatArray ones(h.size(), 1);
  FloatArray derivative(h.size());
  TanhBackward(h.size(), h.data(), ones.data(), derivative.data());
  return derivative;
}

// The same for an input gate: its gradient for a candidate g of 1 and a gradient of c of 1.
FloatArray LogisticDerivative(const FloatArray& sigma) {
  const std::size_t rows = sigma.size() / kLanes;
  const FloatArray zeros(sigma.size(), 0), ones(sigma.size(), 1);
  FloatArray gates(4 * sigma.size(), 0), dc_prev(sigma.size()), derivative(sigma.size());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    float* unit = gates.data() + i / kLanes * 4 * kLanes + i % kLanes;
    unit[0] = sigma[i];
    unit[2 * kLanes] = 1;
  }
  LstmBackward(rows, kLanes, zeros.data(), zeros.data(), zeros.data(), ones.data(), gates.data(),
               dc_prev.data());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    derivative[i] = gates[i / kLanes * 4 * kLanes + i % kLanes];
  }
  return derivative;
}

class VectorMath : public testing::TestWithParam<Target> {
 protected:
  const TargetScope scope_{GetParam()};
};

TEST_P(VectorMath, TanhIsWithinTwoUlpAndOneWhereItSaturates) {
  const FloatArray x = DenseFloats(20), h = TanhOf(x);
  double worst = 0, worst_beyond_4 = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = std::tanh(static_cast<double>(x[i]));
    const double error = std::abs(static_cast<double>(h[i]) - expected) /
                         std::max(Ulp(expected), double{std::numeric_limits<float>::min()});
    double& largest = std::abs(x[i]) > 4 ? worst_beyond_4 : worst;
    largest = std::max(largest, error);
    if (std::abs(x[i]) >= 9.02f) ASSERT_EQ(h[i], std::copysign(1.0f, x[i])) << x[i];
    ASSERT_LE(std::abs(h[i]), 1.0f) << x[i];
    if (x[i] != 0) ASSERT_EQ(std::signbit(h[i]), std::signbit(x[i])) << x[i];
  }
  EXPECT_LE(worst, 2);
  EXPECT_LE(worst_beyond_4, 1);
  RecordProperty("worst_ulp", std::to_string(worst));
  RecordProperty("worst_ulp_beyond_4", std::to_string(worst_beyond_4));
}

TEST_P(VectorMath, LogisticIsRelativelyAccurateOnBothSides) {
  // Down to the smallest normal number; below, it is 0 or as good.
  const FloatArray x = DenseFloats(87), sigma = LogisticOf(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = LogisticInDouble(static_cast<double>(x[i]));
    worst = std::max(worst, std::abs(static_cast<double>(sigma[i]) - expected) / Ulp(expected));
  }
  EXPECT_LE(worst, 3);
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST_P(VectorMath, DerivativesAreThoseOfSaturatedUnits) {
  const FloatArray x = DenseFloats(100);
  const FloatArray h = TanhOf(x), d_tanh = TanhDerivative(h);
  const FloatArray sigma = LogisticOf(x), d_logistic = LogisticDerivative(sigma);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<double>(x[i]);
    const double tanh = std::tanh(at), logistic = LogisticInDouble(at);
    const double true_tanh = 1 / (std::cosh(at) * std::cosh(at));
    const double true_logistic = logistic * LogisticInDouble(-at);
    if (true_tanh > 1e-4) ASSERT_NEAR(d_tanh[i], true_tanh, 0.01 * true_tanh) << x[i];
    if (true_logistic > 1e-4) {
      ASSERT_NEAR(d_logistic[i], true_logistic, 0.01 * true_logistic) << x[i];
    }
    // Elsewhere what h gives: no more than a rounding of h away from the truth.
    ASSERT_NEAR(d_tanh[i], 1 - tanh * tanh, 2.5e-7) << x[i];
    ASSERT_NEAR(d_logistic[i], true_logistic, 2.5e-7) << x[i];
    // A saturated unit is still.
    if (std::abs(h[i]) == 1.0f) ASSERT_EQ(d_tanh[i], 0.0f) << x[i];
    if (sigma[i] == 0.0f || sigma[i] == 1.0f) ASSERT_EQ(d_logistic[i], 0.0f) << x[i];
  }
}

TEST_P(VectorMath, ExtremesAndNotANumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  FloatArray x(kLanes, 0);
  const float values[kLanes] = {kInfinity, -kInfinity, 3e38f, -3e38f, 100, -100, kNan, 1e-30f};
  std::copy_n(values, kLanes, x.begin());
  const FloatArray h = TanhOf(x), sigma = LogisticOf(x);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(h[i], i % 2 == 0 ? 1.0f : -1.0f) << x[i];
    EXPECT_EQ(sigma[i], i % 2 == 0 ? 1.0f : 0.0f) << x[i];
  }
  EXPECT_TRUE(std::isnan(h[6]));
  EXPECT_TRUE(std::isnan(sigma[6]));
  EXPECT_EQ(h[7], 1e-30f);
  EXPECT_EQ(sigma[7], 0.5f);
}

INSTANTIATE_TEST_SUITE_P(Targets, VectorMath,
                         testing::Values(Target::kAvx2, Target::kNative, Target::kPortable),
                         [](const auto& target) {
                           return std::string(target.param == Target::kAvx2     ? "Avx2"
                                              : target.param == Target::kNative ? "Native"
                                                                                : "Portable");
                         });

}  // namespace
}  // namespace flare
