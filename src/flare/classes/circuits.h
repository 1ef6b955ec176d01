// Where a regular language stands among the small circuit classes.

#ifndef FLARE_CLASSES_CIRCUITS_H_
#define FLARE_CLASSES_CIRCUITS_H_

#include <string>

#include "flare/classes/algebra.h"
#include "flare/classes/property.h"

namespace flare::classes {

// In AC⁰ iff the syntactic morphism h is quasi-aperiodic: for no length s does h(Σˢ) hold a group
// that is not trivial (Barrington, Compton, Straubing, Thérien 1992). That is, no two words of
// equal length are an idempotent e and another element g of its group H_e.
//
// With d the greatest common divisor of the lengths of closed walks through e in the right Cayley
// graph, every word for g ∈ H_e has the same length modulo d, its phase; words of all large lengths
// of that phase exist, and e has phase 0. So h is quasi-aperiodic iff no g ≠ e has phase 0.
Property TestAC0(const Algebra& algebra, const Property& star_free);

enum class CircuitClass {
  kUnknown,
  kAC0,
  kACC0,         // in ACC⁰ and not in AC⁰
  kNC1Complete,  // under AC⁰ reductions
};

// All groups solvable: in ACC⁰; one is not: NC¹-complete (Barrington, Thérien 1988).
CircuitClass CircuitClassOf(const Property& ac0, const Property& solvable);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_CIRCUITS_H_
