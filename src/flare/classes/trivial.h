// Languages whose monoid is trivial for one of Green's relations, and DA.

#ifndef FLARE_CLASSES_TRIVIAL_H_
#define FLARE_CLASSES_TRIVIAL_H_

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::algebra {

// (xy)ⁿx = (xy)ⁿ. Iff the minimal complete DFA is partially ordered: its only cycles are loops at a
// state (Brzozowski, Fich 1980). Needs no monoid.
Property TestRTrivial(const SyntacticAutomaton& automaton);

// y(xy)ⁿ = (xy)ⁿ: the mirror image of an R-trivial language.
Property TestLTrivial(const Algebra& algebra);

// Both: for a finite monoid D = J, so the J-classes are trivial iff the R- and L-classes are.
Property JTrivial(const Property& r_trivial, const Property& l_trivial);

// (xyz)ⁿ y (xyz)ⁿ = (xyz)ⁿ; iff every regular element is idempotent (Schützenberger 1976). What
// two-variable first-order logic with < defines (Thérien, Wilke 1998).
Property TestDA(const Algebra& algebra);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_TRIVIAL_H_
