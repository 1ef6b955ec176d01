// The product of a grammar and an automaton (Bar-Hillel, Perles, Shamir 1961): the strings of a
// nonterminal, sorted by what they do to the automaton.
//
// An edge (p, A, q) stands for A's strings that lead from state p to q, a span (p, XY, q) for those
// of a body. Only edges are kept that have strings and occur below (q₀, S, ·), so that a product
// is much smaller than |Q|³ times the grammar where the automaton is nearly one for it.

#ifndef FLARE_GRAMMARS_GRAMMAR_PRODUCT_H_
#define FLARE_GRAMMARS_GRAMMAR_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/grammars/normal_form.h"

namespace flare {

struct GrammarProduct {
  static constexpr std::size_t kMostPairs = 10'000'000;
  // Stands for a terminal instead of an edge: it has one string, of length 1.
  static constexpr std::uint32_t kTerminal = UINT32_MAX;

  struct TerminalRule {
    Symbol terminal;
    double weight;
  };
  struct Edge {
    std::vector<TerminalRule> terminals;  // A → a with δ(p, a) = q, in symbol order
  };
  // The two parts of a body that meet in one state. Terminals are named, for their spelling.
  struct Part {
    std::uint32_t edge;
    Symbol terminal;  // if `edge` is kTerminal
  };
  struct Pair {
    Part left, right;
  };
  struct Head {
    std::uint32_t edge;
    double weight;
  };
  struct Span {
    std::vector<Pair> pairs;
    std::vector<Head> heads;
  };
  // Strings of the grammar's start that lead from q₀ to a state.
  struct Root {
    StateId to;
    std::uint32_t edge;
  };

  std::vector<Edge> edges;
  std::vector<Span> spans;
  std::vector<Root> roots;
  // Pairs without a terminal: each costs n²/2 products of weights up to length n.
  std::size_t num_inner_pairs = 0;
};

// Requires: a complete automaton over the grammar's alphabet. Throws InputError if the product is
// too large.
GrammarProduct MultiplyByAutomaton(const NormalForm& normal, const Dfa& automaton);

}  // namespace flare

#endif  // FLARE_GRAMMARS_GRAMMAR_PRODUCT_H_
