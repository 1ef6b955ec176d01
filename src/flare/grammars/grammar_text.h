// Grammars as the text that NLTK reads, CFG and PCFG:
//
//   # arithmetic over one digit
//   %start E
//   E -> E '+' T [0.4] | T [0.6]
//   T -> 'x' | '(' E ')' |
//
// Terminals are quoted; an empty alternative is ε; `\` at the end continues a line. Without
// `%start`, the first left side is the start; without weights, the alternatives of a left side are
// equally likely. Stricter than NLTK: a nonterminal must have rules, and weights are given for all
// alternatives of a left side or for none, with sum 1.

#ifndef FLARE_GRAMMARS_GRAMMAR_TEXT_H_
#define FLARE_GRAMMARS_GRAMMAR_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "flare/grammars/grammar.h"

namespace flare {

inline constexpr std::size_t kMostGrammarRules = 2'000;
// In the right sides of all rules.
inline constexpr std::size_t kMostGrammarSymbols = 20'000;

// The alphabet is the terminals and `extra_symbols`. Throws InputError with file, line and column,
// or if the grammar is larger than the limits above.
Grammar ParseGrammar(std::string_view text, const std::string& file,
                     const std::vector<std::string>& extra_symbols = {});

// One line per left side, the start first; ParseGrammar reads the same grammar back.
std::vector<std::string> FormatGrammar(const Grammar& grammar);

}  // namespace flare

#endif  // FLARE_GRAMMARS_GRAMMAR_TEXT_H_
