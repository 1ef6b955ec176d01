// Classes in which the automaton comes to rest: reverse definite and finite languages.

#ifndef FLARE_CLASSES_PREFIXES_H_
#define FLARE_CLASSES_PREFIXES_H_

#include "flare/classes/property.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::algebra {

// k-reverse-definite: of strings of length ≥ k, membership depends on the first k symbols. Iff
// every word of length k leads to a state that no letter leaves.
Property TestReverseDefinite(const SyntacticAutomaton& automaton);

// Iff no live state lies on a cycle. `k` is not used.
Property TestFinite(const SyntacticAutomaton& automaton);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_PREFIXES_H_
