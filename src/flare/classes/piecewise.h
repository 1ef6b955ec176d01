// Languages that look at scattered subsequences: strictly piecewise and piecewise testable ones.

#ifndef FLARE_CLASSES_PIECEWISE_H_
#define FLARE_CLASSES_PIECEWISE_H_

#include "flare/classes/property.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::algebra {

// Strictly k-piecewise: the strings without certain subsequences of length ≤ k. Iff the language is
// closed under deletion of symbols: L(qa) ⊆ L(q) for every state q and letter a (Rogers et al.
// 2010). k is the length of the longest minimal forbidden subsequence, 0 if there is none but ε.
Property TestStrictlyPiecewise(const SyntacticAutomaton& automaton);

// Piecewise k-testable: membership depends on the set of subsequences of length ≤ k. For some k iff
// M is J-trivial (Simon 1975). Adds the smallest k to that answer. Deciding k ≥ 4 is coNP-complete
// (Klíma, Kunc, Polák 2014), so there is a limit; the longest path of the DFA without a repeated
// state is an upper bound (Klíma, Polák 2013).
Property WithPiecewiseOrder(const SyntacticAutomaton& automaton, Property j_trivial);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_PIECEWISE_H_
