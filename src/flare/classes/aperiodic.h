// Star-free languages.

#ifndef FLARE_CLASSES_APERIODIC_H_
#define FLARE_CLASSES_APERIODIC_H_

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::algebra {

// L is star-free iff M is aperiodic, xⁿ = xⁿ⁺¹ for some n (Schützenberger 1965); equivalently
// definable in first-order logic with < (McNaughton, Papert 1971). Not so iff some word u has a
// cycle p → pu → … → p of two states or more. A *no* needs only the elements up to u, so it may
// come from a monoid that is too large to be completed.
Property TestStarFree(const Algebra& algebra);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_APERIODIC_H_
