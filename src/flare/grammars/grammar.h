// A context-free grammar with weights, as a person wrote it: its rules, its text, the part of it
// that derives strings, and a certificate that it is unambiguous. Everything is computed from its
// normal form (normal_form.h).

#ifndef FLARE_GRAMMARS_GRAMMAR_H_
#define FLARE_GRAMMARS_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"

namespace flare {

// A symbol in a rule: terminals are numbered as in the alphabet, nonterminals after them.
enum class GrammarSymbol : std::uint32_t {};

constexpr std::size_t Index(GrammarSymbol x) { return static_cast<std::size_t>(x); }
constexpr GrammarSymbol GrammarSymbolAt(std::size_t index) {
  return static_cast<GrammarSymbol>(index);
}
constexpr GrammarSymbol Terminal(Symbol a) { return GrammarSymbolAt(Index(a)); }

struct Grammar {
  explicit Grammar(Alphabet symbols) : alphabet(std::move(symbols)) {}

  struct Rule {
    std::size_t head;                 // the index of a nonterminal
    std::vector<GrammarSymbol> body;  // empty is ε
    double weight;                    // above 0; those of a head add up to 1
  };

  Alphabet alphabet;
  std::vector<std::string> nonterminals;
  std::vector<Rule> rules;
  std::size_t start = 0;
  // Whether the weights of a nonterminal's rules were given; else they are equal.
  std::vector<bool> has_weights;

  bool IsTerminal(GrammarSymbol x) const { return Index(x) < alphabet.size(); }
  // Requires: a nonterminal.
  std::size_t NonterminalIndex(GrammarSymbol x) const { return Index(x) - alphabet.size(); }
  GrammarSymbol Nonterminal(std::size_t index) const {
    return GrammarSymbolAt(alphabet.size() + index);
  }
};

// Applies step(i), which says whether it changed anything, for i = 0..n-1 and back, until a round
// changes nothing.
template <class Step>
void UntilNothingChanges(std::size_t n, Step step) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i) changed |= step(i);
    for (std::size_t i = n; i > 0; --i) changed |= step(i - 1);
  }
}

// The rules that occur in a derivation of some string. Throws InputError with `where` if there is
// none: the language is empty.
std::vector<Grammar::Rule> UsefulRules(const Grammar& grammar, const std::string& where);

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

inline constexpr std::size_t kMostGrammarRules = 2'000;
// The most symbols in the right sides of all rules.
inline constexpr std::size_t kMostGrammarSymbols = 20'000;

// The alphabet is the terminals and `extra_symbols`. Throws InputError with file, line and column,
// or if the grammar is larger than the limits above.
Grammar ParseGrammar(std::string_view text, const std::string& file,
                     const std::vector<std::string>& extra_symbols = {});

// One line per left side, the start first; ParseGrammar reads the same grammar back.
std::vector<std::string> FormatGrammar(const Grammar& grammar);

// Returns whether the grammar's canonical LR(1) automaton (Knuth 1965) is known to have no
// conflicts. If so, every string has one derivation, and a deterministic pushdown automaton finds
// it. False proves nothing: another grammar of the same language may have the certificate, and
// automata with many states are not examined. Requires: the language is not empty.
bool IsLr1(const Grammar& grammar);

}  // namespace flare

#endif  // FLARE_GRAMMARS_GRAMMAR_H_
