// The edit distance of a string to a regular language as the paper constructs it (Appendix J); the
// definition and the test oracle of EditDistance.

#ifndef FLARE_AUTOMATA_PAPER_EDIT_AUTOMATON_H_
#define FLARE_AUTOMATA_PAPER_EDIT_AUTOMATON_H_

#include <cstddef>

#include "flare/automata/dfa.h"

namespace flare {

// The chain automaton of w, which gives every string its distance to w (Figure 3), over the
// tropical semiring.
Wfa<double> EditAutomaton(const Alphabet& alphabet, StringView w);
// Computes the distance as the allsum of its intersection with the lifted DFA, in O((|w|·|Q|)³).
std::size_t EditDistanceByPathSum(const Dfa& dfa, StringView w);

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_EDIT_AUTOMATON_H_
