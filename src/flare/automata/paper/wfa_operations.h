// A DFA as a weighted automaton over any semiring, and the intersection of two of those.

#ifndef FLARE_AUTOMATA_PAPER_WFA_OPERATIONS_H_
#define FLARE_AUTOMATA_PAPER_WFA_OPERATIONS_H_

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/paper/semirings.h"
#include "flare/base/error.h"

namespace flare {

// The DFA with every transition and every accepting state at weight 1: the indicator of L(𝓐).
template <Semiring S>
Wfa<typename S::Weight> Lift(const S& s, const Dfa& dfa) {
  Wfa<typename S::Weight> wfa(dfa.alphabet());
  for (std::size_t i = 0; i < dfa.num_states(); ++i) {
    const StateId q = wfa.AddState(dfa.IsAccepting(StateAt(i)) ? s.One() : s.Zero());
    for (const auto& [a, r] : dfa.TransitionsFrom(q)) wfa.AddTransition(q, a, s.One(), r);
  }
  wfa.start = dfa.start();
  return wfa;
}

// The automaton whose stringsum is the product of the two stringsums, for a commutative ⊗.
//
// A pair of paths must be counted once even if both take ε: between two symbols all ε-moves of `a`
// come before those of `b`. The third component of a state says whether `b` has begun to move.
// Requires: equal alphabets.
template <Semiring S>
Wfa<typename S::Weight> Intersect(const S& s, const Wfa<typename S::Weight>& a,
                                  const Wfa<typename S::Weight>& b) {
  FLARE_CHECK(a.alphabet == b.alphabet);
  using Name = std::tuple<StateId, StateId, bool>;
  Wfa<typename S::Weight> product(a.alphabet);
  std::map<Name, StateId> ids;
  std::vector<Name> names;
  const auto id = [&](const Name& name) {
    const auto [entry, is_new] = ids.try_emplace(name);
    if (is_new) {
      const auto& [q, r, b_moved] = name;
      entry->second = product.AddState(s.Times(a.at(q).accept_weight, b.at(r).accept_weight));
      names.push_back(name);
    }
    return entry->second;
  };
  product.start = id({a.start, b.start, false});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [q, r, b_moved] = names[i];
    for (const auto& move : a.at(q).transitions) {
      if (!move.symbol) {
        if (!b_moved) {
          product.AddTransition(StateAt(i), {}, move.weight, id({move.target, r, false}));
        }
        continue;
      }
      for (const auto& other : b.at(r).transitions) {
        if (other.symbol != move.symbol) continue;
        product.AddTransition(StateAt(i), move.symbol, s.Times(move.weight, other.weight),
                              id({move.target, other.target, false}));
      }
    }
    for (const auto& other : b.at(r).transitions) {
      if (!other.symbol) {
        product.AddTransition(StateAt(i), {}, other.weight, id({q, other.target, true}));
      }
    }
  }
  return product;
}

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_WFA_OPERATIONS_H_
