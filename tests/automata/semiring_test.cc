#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/semirings.h"
#include "flare/base/error.h"
#include "support/semiring_laws.h"

namespace flare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

rc::Gen<double> RealIn(double low, double high) {
  return rc::gen::map(rc::gen::inRange(0, 1 << 20),
                      [=](int i) { return low + (high - low) * i / double{1 << 20}; });
}
rc::Gen<double> OrSpecial(const rc::Gen<double>& usual, const std::vector<double>& special) {
  return rc::gen::oneOf(usual, usual, usual, rc::gen::elementOf(special));
}
rc::Gen<bool> AnyBool() { return rc::gen::arbitrary<bool>(); }
rc::Gen<mpz_class> AnyCount() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<unsigned>(), rc::gen::inRange(0u, 200u)),
                      [](const auto& p) { return mpz_class(mpz_class(p.first) << p.second); });
}

TEST(BooleanSemiring, ObeysTheLaws) {
  CheckSemiringLaws(BooleanSemiring{}, AnyBool());
  CheckStarLaws(BooleanSemiring{}, AnyBool());
}

TEST(RealSemiring, ObeysTheLaws) {
  const auto element = OrSpecial(RealIn(0, 10), {0, 1, kInfinity});
  CheckSemiringLaws(RealSemiring{}, element);
  CheckStarLaws(RealSemiring{}, OrSpecial(RealIn(0, 1.5), {0, 1, kInfinity}));
  CheckDivisionLaws(RealSemiring{}, OrSpecial(RealIn(0, 10), {0, 1}));
}

TEST(LogSemiring, ObeysTheLaws) {
  const auto element = OrSpecial(RealIn(-2000, 50), {-kInfinity, 0, kInfinity});
  CheckSemiringLaws(LogSemiring{}, element);
  CheckStarLaws(LogSemiring{}, OrSpecial(RealIn(-50, 0.5), {-kInfinity, 0, kInfinity}));
  CheckDivisionLaws(LogSemiring{}, OrSpecial(RealIn(-500, 50), {-kInfinity, 0}));
}

TEST(LogSemiring, IsTheLogarithmOfTheRealSemiring) {
  EXPECT_TRUE(rc::check("homomorphism", [] {
    const RealSemiring real;
    const LogSemiring log;
    const double a = *RealIn(0, 0.99), b = *RealIn(0, 0.99);
    RC_ASSERT(log.ApproxEqual(std::log(real.Plus(a, b)), log.Plus(std::log(a), std::log(b))));
    RC_ASSERT(log.ApproxEqual(std::log(real.Times(a, b)), log.Times(std::log(a), std::log(b))));
    RC_ASSERT(log.ApproxEqual(std::log(real.Star(a)), log.Star(std::log(a))));
  }));
}

TEST(TropicalSemiring, ObeysTheLaws) {
  const auto element = OrSpecial(RealIn(0, 100), {0, kInfinity});
  CheckSemiringLaws(TropicalSemiring{}, element);
  CheckStarLaws(TropicalSemiring{}, element);
}

TEST(CountingSemiring, ObeysTheLawsExactly) {
  CheckSemiringLaws(CountingSemiring{}, AnyCount());
  CheckStarLaws(CountingSemiring{}, rc::gen::just(mpz_class(0)));
}

TEST(CountingSemiring, HasNoStarButThatOfZero) {
  EXPECT_THROW(CountingSemiring{}.Star(1), CheckError);
}

template <class T>
rc::Gen<std::vector<T>> Vectors(std::size_t order, rc::Gen<T> element) {
  return rc::gen::container<std::vector<T>>(order + 1, element);
}

TEST(BinningSemiring, ObeysTheLawsOverEveryBase) {
  for (const std::size_t order : {0u, 1u, 4u}) {
    CheckSemiringLaws(BinningSemiring<RealSemiring>(order), Vectors(order, RealIn(0, 2)));
    CheckStarLaws(BinningSemiring<RealSemiring>(order), Vectors(order, RealIn(0, 0.9)));
    const auto logs = OrSpecial(RealIn(-20, 1), {-kInfinity});
    CheckSemiringLaws(BinningSemiring<LogSemiring>(order), Vectors(order, logs));
    CheckStarLaws(BinningSemiring<LogSemiring>(order), Vectors(order, RealIn(-20, -0.1)));
    const auto lengths = OrSpecial(RealIn(0, 100), {kInfinity});
    CheckSemiringLaws(BinningSemiring<TropicalSemiring>(order), Vectors(order, lengths));
    CheckStarLaws(BinningSemiring<TropicalSemiring>(order), Vectors(order, lengths));
    CheckSemiringLaws(BinningSemiring<BooleanSemiring>(order), Vectors(order, AnyBool()));
    CheckStarLaws(BinningSemiring<BooleanSemiring>(order), Vectors(order, AnyBool()));
    CheckSemiringLaws(BinningSemiring<CountingSemiring>(order), Vectors(order, AnyCount()));
    CheckStarLaws(BinningSemiring<CountingSemiring>(order),
                  rc::gen::map(Vectors(order, AnyCount()), [](std::vector<mpz_class> v) {
                    v[0] = 0;
                    return v;
                  }));
  }
}

// Eq. 11 against its definition: with nothing in bin 0, powers above the order vanish.
TEST(BinningSemiring, StarIsTheSumOfPowers) {
  const BinningSemiring<CountingSemiring> s(5);
  const std::vector<mpz_class> v{0, 2, 0, 3, 1, 0};
  auto power = s.One(), sum = s.Zero();
  for (int i = 0; i <= 5; ++i) {
    sum = s.Plus(sum, power);
    power = s.Times(power, v);
  }
  EXPECT_EQ(s.Star(v), sum);
}

}  // namespace
}  // namespace flare
