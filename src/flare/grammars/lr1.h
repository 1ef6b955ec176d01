// A certificate that a grammar is unambiguous and its language deterministic.

#ifndef FLARE_GRAMMARS_LR1_H_
#define FLARE_GRAMMARS_LR1_H_

#include "flare/grammars/grammar.h"

namespace flare {

// True if the grammar's canonical LR(1) automaton (Knuth 1965) has no conflicts: then every string
// has one derivation, and a deterministic pushdown automaton finds it. False says nothing: another
// grammar of the same language may have the certificate, and automata with many states are not
// looked at. Requires: the language is not empty.
bool IsLr1(const Grammar& grammar);

}  // namespace flare

#endif  // FLARE_GRAMMARS_LR1_H_
