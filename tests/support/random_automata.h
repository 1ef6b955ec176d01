// Random automata and strings for property tests, and all short strings for exhaustive ones.

#ifndef FLARE_TESTS_SUPPORT_RANDOM_AUTOMATA_H_
#define FLARE_TESTS_SUPPORT_RANDOM_AUTOMATA_H_

#include <cstddef>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/operations.h"
#include "flare/base/rng.h"

namespace flare {

// The alphabet a, b, c, ... of this size.
Alphabet Letters(std::size_t size);

// Every transition is there with probability `density`, every state accepts with probability 1/3.
Dfa RandomDfa(std::size_t num_states, const Alphabet& alphabet, double density, Rng& rng);

// `num_transitions` random transitions, a quarter of them silent.
Nfa RandomNfa(std::size_t num_states, const Alphabet& alphabet, std::size_t num_transitions,
              Rng& rng);

String RandomString(std::size_t length, std::size_t alphabet_size, Rng& rng);

// All strings of length 0 to `longest`, by length and then in symbol order.
std::vector<String> AllStrings(std::size_t alphabet_size, std::size_t longest);

// Membership by following all paths at once; shares nothing with Determinize.
bool NaiveAccepts(const Nfa& nfa, StringView w);

}  // namespace flare

#endif  // FLARE_TESTS_SUPPORT_RANDOM_AUTOMATA_H_
