// Star-free languages.

#ifndef FLARE_CLASSES_APERIODIC_H_
#define FLARE_CLASSES_APERIODIC_H_

#include <cstddef>
#include <vector>

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::algebra {

// L is star-free iff M is aperiodic, xⁿ = xⁿ⁺¹ for some n (Schützenberger 1965); equivalently
// definable in first-order logic with < (McNaughton, Papert 1971). Not so iff some word u has a
// cycle p → pu → … → p of two states or more. A *no* needs only the elements up to u, so it may
// come from a monoid that is too large to be completed.
Property TestStarFree(const Algebra& algebra);

// The lengths, of at least 2, of the circles in which single letters take states: ascending, each
// once.
std::vector<std::size_t> CirclesOfLetters(const SyntacticAutomaton& automaton);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_APERIODIC_H_
