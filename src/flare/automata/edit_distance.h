// The edit distance of a string to a regular language: the least number of single-symbol
// insertions, deletions and replacements that make w a member (paper, Appendix J).

#ifndef FLARE_AUTOMATA_EDIT_DISTANCE_H_
#define FLARE_AUTOMATA_EDIT_DISTANCE_H_

#include <cstddef>

#include "flare/automata/dfa.h"

namespace flare {

// O(|w|·(|Q| + |δ|)) time and O(|Q|) memory: a shortest path through the graph of (position, state)
// with weights 0 and 1, one position at a time.
// Requires: a trim DFA of a language that is not empty.
std::size_t EditDistance(const Dfa& trim, StringView w);

}  // namespace flare

#endif  // FLARE_AUTOMATA_EDIT_DISTANCE_H_
