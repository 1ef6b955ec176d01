// Do two DFAs accept the same strings? If not, which string is the first to show it?

#ifndef FLARE_AUTOMATA_EQUIVALENCE_H_
#define FLARE_AUTOMATA_EQUIVALENCE_H_

#include <optional>

#include "flare/automata/dfa.h"

namespace flare {

// A shortest string that exactly one of the two accepts, the first of those in symbol order;
// nothing if the languages are equal. Breadth-first through the pairs of states.
// Requires: equal alphabets.
std::optional<String> ShortestDifference(const Dfa& a, const Dfa& b);

}  // namespace flare

#endif  // FLARE_AUTOMATA_EQUIVALENCE_H_
