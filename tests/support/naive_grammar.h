// Grammars by their definition, for tests only: derivations are followed until nothing new comes
// out. Shares nothing with the program but the value that it reads from a file.

#ifndef FLARE_TESTS_SUPPORT_NAIVE_GRAMMAR_H_
#define FLARE_TESTS_SUPPORT_NAIVE_GRAMMAR_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "flare/base/rng.h"
#include "flare/grammars/grammar.h"

namespace flare::naive {

// The strings of up to `longest` symbols.
std::set<String> StringsOf(const Grammar& grammar, std::size_t longest);

// The strings of fewer than `longest` symbols, and the first `longest` symbols of all others.
std::set<String> PrefixesOf(const Grammar& grammar, std::size_t longest);

// The strings of up to `longest` symbols with their weights: the sum over all derivations of up to
// `depth` levels.
std::map<String, double> WeightsOf(const Grammar& grammar, std::size_t longest, int depth);

// Grammars of 1 to 4 nonterminals over a and b, with ε, unit rules, recursion on all sides, useless
// symbols, and weights for some left sides; as text.
std::string RandomGrammarText(Rng& rng);

// Edits between two strings.
std::size_t Levenshtein(StringView a, StringView b);

}  // namespace flare::naive

#endif  // FLARE_TESTS_SUPPORT_NAIVE_GRAMMAR_H_
