// From a nondeterministic automaton with ε to a DFA, by subsets.

#ifndef FLARE_AUTOMATA_DETERMINIZE_H_
#define FLARE_AUTOMATA_DETERMINIZE_H_

#include <cstddef>
#include <string>

#include "flare/automata/dfa.h"
#include "flare/automata/wfa.h"

namespace flare {

using Nfa = Wfa<bool>;

// The trim part of the subset automaton, which can be exponentially large: beyond kMostSubsets
// states or kMostMembers members of them in all, InputError with `where`.
inline constexpr std::size_t kMostSubsets = 1'000'000;
inline constexpr std::size_t kMostMembers = 50'000'000;
Dfa Determinize(const Nfa& nfa, const std::string& where);

}  // namespace flare

#endif  // FLARE_AUTOMATA_DETERMINIZE_H_
