// The grammar that everything is computed from: rules A → X Y and A → a, no ε, no unit rules, no
// useless symbols. X and Y may be terminals.
//
// Bodies come first and are shared: (X, Y) is one body, whatever the number of rules that have it.
// So removing unit rules multiplies heads, which cost little, and not bodies, which cost much.

#ifndef FLARE_GRAMMARS_NORMAL_FORM_H_
#define FLARE_GRAMMARS_NORMAL_FORM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flare/grammars/grammar.h"

namespace flare {

struct NormalForm {
  explicit NormalForm(Alphabet symbols) : alphabet(std::move(symbols)) {}

  static constexpr std::size_t kMostRules = 20'000;

  struct Body {
    GrammarSymbol left, right;
    auto operator<=>(const Body&) const = default;
  };
  // A rule seen from its body or terminal, and from its head.
  struct Head {
    std::uint32_t nonterminal;
    double weight;
  };
  struct BodyRule {
    std::uint32_t body;
    double weight;
  };
  struct TerminalRule {
    Symbol terminal;
    double weight;
  };

  Alphabet alphabet;
  // The weight of ε, which no rule derives; 0 if it is not in the language.
  double empty_weight = 0;
  bool has_empty = false;

  // The start is nonterminal 0; it has no rules if the language has nothing but ε. Nonterminals and
  // bodies are numbered in breadth-first order.
  std::size_t num_nonterminals() const { return bodies_of.size(); }
  std::vector<Body> bodies;
  std::vector<std::vector<Head>> heads_of_body;         // by body
  std::vector<std::vector<Head>> heads_of_terminal;     // by symbol
  std::vector<std::vector<BodyRule>> bodies_of;         // by nonterminal
  std::vector<std::vector<TerminalRule>> terminals_of;  // by nonterminal
  std::vector<std::vector<std::uint32_t>> left_of;      // by grammar symbol: bodies that begin so
  std::vector<std::vector<std::uint32_t>> right_of;     // ... and that end so
  std::size_t num_rules = 0;

  bool IsTerminal(GrammarSymbol x) const { return Index(x) < alphabet.size(); }
  std::size_t NonterminalIndex(GrammarSymbol x) const { return Index(x) - alphabet.size(); }
  GrammarSymbol Nonterminal(std::size_t index) const {
    return GrammarSymbolAt(alphabet.size() + index);
  }
};

// Every string keeps its weight: the sum over its derivations of the products of their rules, to
// about 1e-13. The weights of ε and of chains of unit rules are sums over infinitely many
// derivations; where those diverge, or the result is too large, throws InputError with `where`.
// So does a grammar without strings.
NormalForm Normalize(const Grammar& grammar, const std::string& where);

// A text that two grammars share exactly if their normal forms are equal.
std::string Describe(const NormalForm& normal);

}  // namespace flare

#endif  // FLARE_GRAMMARS_NORMAL_FORM_H_
