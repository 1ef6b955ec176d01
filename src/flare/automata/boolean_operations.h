// Completion, complement and intersection of DFAs over one alphabet. Each may be much larger than
// what it is made from, and throws InputError when the effort is spent.

#ifndef FLARE_AUTOMATA_BOOLEAN_OPERATIONS_H_
#define FLARE_AUTOMATA_BOOLEAN_OPERATIONS_H_

#include "flare/automata/dfa.h"
#include "flare/automata/effort.h"

namespace flare {

// The same language with a transition for every state and symbol; the missing ones lead to a
// rejecting sink, which is added only if it is needed.
Dfa Complete(const Dfa& dfa, Effort& effort);

// Σ* minus the language; trim.
Dfa Complement(const Dfa& dfa, Effort& effort);

// The product automaton; trim. Requires: equal alphabets.
Dfa Intersect(const Dfa& a, const Dfa& b, Effort& effort);

}  // namespace flare

#endif  // FLARE_AUTOMATA_BOOLEAN_OPERATIONS_H_
