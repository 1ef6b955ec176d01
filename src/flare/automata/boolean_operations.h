// Completion, complement and intersection of DFAs over one alphabet.

#ifndef FLARE_AUTOMATA_BOOLEAN_OPERATIONS_H_
#define FLARE_AUTOMATA_BOOLEAN_OPERATIONS_H_

#include <cstddef>
#include <string>

#include "flare/automata/dfa.h"

namespace flare {

// The same language with a transition for every state and symbol; the missing ones lead to a
// rejecting sink, which is added only if it is needed.
Dfa Complete(const Dfa& dfa);

// Σ* minus the language; trim.
Dfa Complement(const Dfa& dfa);

// The product automaton; trim. Throws InputError with `where` beyond kLargestProduct states or
// transitions. Requires: equal alphabets.
inline constexpr std::size_t kLargestProduct = 5'000'000;
Dfa Intersect(const Dfa& a, const Dfa& b, const std::string& where = "");

}  // namespace flare

#endif  // FLARE_AUTOMATA_BOOLEAN_OPERATIONS_H_
