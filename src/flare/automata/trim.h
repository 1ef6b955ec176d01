// The useful part of a DFA, in a canonical order.

#ifndef FLARE_AUTOMATA_TRIM_H_
#define FLARE_AUTOMATA_TRIM_H_

#include <cstdint>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

// Keeps the states that are reachable from the start and can reach an accepting state, numbered in
// breadth-first order by symbol, so that the start is state 0 and isomorphic automata become equal.
// The empty language becomes one rejecting state without transitions.
Dfa Trim(const Dfa& dfa);

// True if no string is accepted.
bool IsEmpty(const Dfa& dfa);

// For every state, 1 if an accepting state can be reached from it.
std::vector<std::uint8_t> Coaccessible(const Dfa& dfa);

}  // namespace flare

#endif  // FLARE_AUTOMATA_TRIM_H_
