// A context-free grammar with weights, as a person wrote it. A value; grammar_text.h reads one,
// normal_form.h is what everything is computed from.

#ifndef FLARE_GRAMMARS_GRAMMAR_H_
#define FLARE_GRAMMARS_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"

namespace flare {

// What stands in a rule: the terminals are numbered as in the alphabet, the nonterminals after
// them.
enum class GrammarSymbol : std::uint32_t {};

constexpr std::size_t Index(GrammarSymbol x) { return static_cast<std::size_t>(x); }
constexpr GrammarSymbol GrammarSymbolAt(std::size_t index) {
  return static_cast<GrammarSymbol>(index);
}
constexpr GrammarSymbol Terminal(Symbol a) { return GrammarSymbolAt(Index(a)); }

struct Grammar {
  explicit Grammar(Alphabet symbols) : alphabet(std::move(symbols)) {}

  struct Rule {
    std::size_t head;                 // which nonterminal
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

}  // namespace flare

#endif  // FLARE_GRAMMARS_GRAMMAR_H_
