// Classes that forget all but the last symbols: definite and strictly local languages. Both ask how
// long two states can be told apart while they read the same word.

#ifndef FLARE_CLASSES_SUFFIXES_H_
#define FLARE_CLASSES_SUFFIXES_H_

#include "flare/classes/property.h"
#include "flare/classes/syntactic_automaton.h"

namespace flare::algebra {

// Pairs of states are followed up to this many states.
constexpr std::size_t kMostStatesForPairs = 5'000;

// k-definite: of strings of length ≥ k, membership depends on the last k symbols. Iff all words of
// length k take all states to one (Perles, Rabin, Shamir 1963).
Property TestDefinite(const SyntacticAutomaton& automaton);

// Strictly k-local: some prefixes and suffixes of length k−1 and some factors of length k are
// allowed (McNaughton, Papert 1971). Iff suffixes can be substituted: with |t| = k−1,
// xtz, ytw ∈ L implies ytz ∈ L (De Luca, Restivo 1980); that is, a word of length k−1 takes any two
// live states to one, or one of them to the sink.
Property TestStrictlyLocal(const SyntacticAutomaton& automaton);

}  // namespace flare::algebra

#endif  // FLARE_CLASSES_SUFFIXES_H_
