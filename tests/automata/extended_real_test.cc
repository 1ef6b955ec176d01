#include "flare/automata/extended_real.h"

#include <gtest/gtest.h>

#include <cmath>

#include "flare/base/rng.h"

namespace flare {
namespace {

TEST(ExtendedReal, RoundsAsDoubleDoesWithinItsRange) {
  Rng rng = Rng::For(0, "extended-real");
  for (int i = 0; i < 100000; ++i) {
    const double a = std::ldexp(rng.Uniform(), static_cast<int>(rng.UniformInt(121)) - 60);
    const double b = std::ldexp(rng.Uniform(), static_cast<int>(rng.UniformInt(121)) - 60);
    const ExtendedReal x(a), y(b);
    ASSERT_EQ(x.ToDouble(), a);
    ASSERT_EQ((x + y).ToDouble(), a + b);
    ASSERT_EQ((x * y).ToDouble(), a * b);
    if (b != 0) ASSERT_EQ((x / y).ToDouble(), a / b);
  }
}

TEST(ExtendedReal, RangeIsFarBeyondDouble) {
  ExtendedReal tiny(1);
  const ExtendedReal third = ExtendedReal(1) / ExtendedReal(3);
  for (int i = 0; i < 100000; ++i) tiny *= third;
  EXPECT_EQ(tiny.ToDouble(), 0);
  EXPECT_FALSE(tiny.IsZero());
  EXPECT_NEAR(tiny.Log(), -100000 * std::log(3.0), 1e-9);
  EXPECT_EQ((tiny / tiny).ToDouble(), 1);
  EXPECT_EQ((tiny + tiny) / tiny, ExtendedReal(2));
  EXPECT_EQ(ExtendedReal(1) + tiny, ExtendedReal(1));
}

TEST(ExtendedReal, ZeroIsNeutralAndAbsorbing) {
  const ExtendedReal zero, x(0.3);
  EXPECT_EQ(zero + x, x);
  EXPECT_EQ(x + zero, x);
  EXPECT_TRUE((zero * x).IsZero());
  EXPECT_TRUE((zero / x).IsZero());
  EXPECT_EQ(zero, ExtendedReal(0));
  EXPECT_EQ(zero.Log(), -INFINITY);
}

}  // namespace
}  // namespace flare
