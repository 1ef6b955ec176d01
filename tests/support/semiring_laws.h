// The laws of a semiring (paper, Definition 3; semirings.h), checked on random elements.

#ifndef FLARE_TESTS_SUPPORT_SEMIRING_LAWS_H_
#define FLARE_TESTS_SUPPORT_SEMIRING_LAWS_H_

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "flare/automata/paper/semirings.h"

namespace flare {

// `element` is a RapidCheck generator of weights.
template <Semiring S, class Generator>
void CheckSemiringLaws(const S& s, const Generator& element) {
  using W = typename S::Weight;
  const auto equal = [&](const W& a, const W& b) { return s.ApproxEqual(a, b); };
  EXPECT_TRUE(rc::check("⊕ is commutative and associative, with 0", [&] {
    const W a = *element, b = *element, c = *element;
    RC_ASSERT(equal(s.Plus(a, b), s.Plus(b, a)));
    RC_ASSERT(equal(s.Plus(s.Plus(a, b), c), s.Plus(a, s.Plus(b, c))));
    RC_ASSERT(equal(s.Plus(a, s.Zero()), a));
  }));
  EXPECT_TRUE(rc::check("⊗ is associative, with 1, and 0 absorbs", [&] {
    const W a = *element, b = *element, c = *element;
    RC_ASSERT(equal(s.Times(s.Times(a, b), c), s.Times(a, s.Times(b, c))));
    RC_ASSERT(equal(s.Times(a, s.One()), a));
    RC_ASSERT(equal(s.Times(s.One(), a), a));
    RC_ASSERT(equal(s.Times(a, s.Zero()), s.Zero()));
    RC_ASSERT(equal(s.Times(s.Zero(), a), s.Zero()));
  }));
  EXPECT_TRUE(rc::check("⊗ distributes over ⊕ from both sides", [&] {
    const W a = *element, b = *element, c = *element;
    RC_ASSERT(equal(s.Times(a, s.Plus(b, c)), s.Plus(s.Times(a, b), s.Times(a, c))));
    RC_ASSERT(equal(s.Times(s.Plus(a, b), c), s.Plus(s.Times(a, c), s.Times(b, c))));
  }));
  EXPECT_FALSE(equal(s.Zero(), s.One()));
}

// `starred` generates weights whose star exists.
template <Closed S, class Generator>
void CheckStarLaws(const S& s, const Generator& starred) {
  using W = typename S::Weight;
  EXPECT_TRUE(rc::check("a* = 1 ⊕ a ⊗ a* = 1 ⊕ a* ⊗ a", [&] {
    const W a = *starred;
    RC_ASSERT(s.ApproxEqual(s.Star(a), s.Plus(s.One(), s.Times(a, s.Star(a)))));
    RC_ASSERT(s.ApproxEqual(s.Star(a), s.Plus(s.One(), s.Times(s.Star(a), a))));
  }));
}

template <Probabilistic S, class Generator>
void CheckDivisionLaws(const S& s, const Generator& element) {
  using W = typename S::Weight;
  EXPECT_TRUE(rc::check("(a ⊘ b) ⊗ b = a, and FromReal undoes ToReal", [&] {
    const W a = *element, b = *element;
    RC_PRE(b != s.Zero());
    RC_ASSERT(s.ApproxEqual(s.Times(s.Divide(a, b), b), a));
    RC_ASSERT(s.ApproxEqual(s.FromReal(s.ToReal(a)), a));
  }));
}

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_SEMIRING_LAWS_H_
