// Commutative and group languages, and the groups inside a monoid.

#ifndef FLARE_CLASSES_GROUPS_H_
#define FLARE_CLASSES_GROUPS_H_

#include <cstddef>
#include <vector>

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::algebra {

// xy = yx: membership depends on how often each letter occurs. Iff letters commute.
Property TestCommutative(const SyntacticAutomaton& automaton);

// M is a group. Iff every letter permutes the states.
Property TestGroup(const SyntacticAutomaton& automaton);

// One of the maximal subgroups H_e of M, one for each regular D-class whose groups are not trivial.
struct MaximalSubgroup {
  Element e;
  std::size_t order;
  bool abelian;
  // The orders of H, [H,H], …, down to the last that differs from the one before.
  std::vector<std::size_t> derived_series;
  bool solvable() const { return derived_series.back() == 1; }
  // If it is not solvable: generators of the perfect group at the end of the series.
  std::vector<Element> perfect_generators;
};

// Requires: a complete monoid. In the order of e.
std::vector<MaximalSubgroup> MaximalSubgroups(const Algebra& algebra);

// All groups in M are solvable.
Property TestSolvable(const Algebra& algebra, const std::vector<MaximalSubgroup>& groups);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_GROUPS_H_
