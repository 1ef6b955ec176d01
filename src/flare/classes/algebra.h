// A language's automaton and monoid together: what the tests of this folder look at.

#ifndef FLARE_CLASSES_ALGEBRA_H_
#define FLARE_CLASSES_ALGEBRA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flare/classes/green.h"
#include "flare/classes/monoid.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::classes {

struct Algebra {
  Algebra(SyntacticAutomaton a, const MonoidLimits& limits)
      : automaton(std::move(a)), monoid(automaton, limits) {
    if (monoid.complete()) green.emplace(monoid);
  }

  SyntacticAutomaton automaton;
  Monoid monoid;
  std::optional<GreenRelations> green;  // of a complete monoid
};

// The budget of one test, which takes about a second to spend. A test that runs out of these steps
// answers "unknown".
class Steps {
 public:
  static constexpr std::size_t kMost = 100'000'000;

  // False once all are spent.
  bool Spend(std::size_t steps) {
    if (steps > left_) {
      left_ = 0;
      return false;
    }
    left_ -= steps;
    return true;
  }
  bool spent() const { return left_ == 0; }
  static std::string Limit();

 private:
  std::size_t left_ = kMost;
};

// A test of a *local* property asks something of the sets eSf, where S is the image of Σ⁺ and e, f
// are idempotents of S. If e = afb, then e is in the same D-class as the idempotent fbeaf, which f
// absorbs on both sides, so that what holds around f holds around e: one idempotent for each of the
// D-classes that lie below no other regular one is enough.
std::vector<Element> MaximalIdempotents(const Algebra& algebra);

// eSf = { x : ex = x = xf }, which for idempotents e, f of S is eMf; in breadth-first order.
// Nothing if the steps are spent.
std::optional<std::vector<Element>> Between(const Monoid& monoid, Element e, Element f,
                                            Steps& steps);

// The first word of x; for the identity, if it is in S, a shortest word that is not empty.
Word WordInS(const Monoid& monoid, Element x);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_ALGEBRA_H_
