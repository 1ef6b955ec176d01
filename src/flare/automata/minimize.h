// The smallest DFA of a language.

#ifndef FLARE_AUTOMATA_MINIMIZE_H_
#define FLARE_AUTOMATA_MINIMIZE_H_

#include "flare/automata/dfa.h"

namespace flare {

// The unique minimal trim DFA of the same language, numbered as by Trim: two DFAs over one alphabet
// have equal languages exactly if their minimal DFAs are equal. O((|Q| + |δ|) log |Q|), with no
// factor |Σ|: partition refinement on states and transitions together (A. Valmari, "Fast brief
// practical DFA minimization", 2012), which a partial DFA needs no completion for.
Dfa Minimize(const Dfa& dfa);

}  // namespace flare

#endif  // FLARE_AUTOMATA_MINIMIZE_H_
