// From a nondeterministic automaton with ε to a DFA, by subsets.

#ifndef FLARE_AUTOMATA_DETERMINIZE_H_
#define FLARE_AUTOMATA_DETERMINIZE_H_

#include "flare/automata/dfa.h"
#include "flare/automata/effort.h"
#include "flare/automata/wfa.h"

namespace flare {

using Nfa = Wfa<bool>;

// The trim part of the subset automaton, which can be exponentially large: throws InputError when
// the effort is spent.
Dfa Determinize(const Nfa& nfa, Effort& effort);

}  // namespace flare

#endif  // FLARE_AUTOMATA_DETERMINIZE_H_
