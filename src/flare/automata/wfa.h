// Weighted finite automata with ε-transitions over any semiring (paper, Definitions 3 and 8). A
// weighted DFA is one without ε and with at most one transition per state and symbol; an NFA is one
// over the boolean semiring. What the paper does with them is in paper/.

#ifndef FLARE_AUTOMATA_WFA_H_
#define FLARE_AUTOMATA_WFA_H_

#include <optional>
#include <utility>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/automata/symbol.h"

namespace flare {

template <class Weight>
struct Wfa {
  struct Transition {
    std::optional<Symbol> symbol;  // nothing is ε
    Weight weight;
    StateId target;
  };
  struct State {
    Weight accept_weight;  // ρ(q)
    std::vector<Transition> transitions;
  };

  Alphabet alphabet;
  std::vector<State> states;
  StateId start{};

  explicit Wfa(Alphabet symbols) : alphabet(std::move(symbols)) {}

  StateId AddState(Weight accept_weight) {
    states.push_back({std::move(accept_weight), {}});
    return StateAt(states.size() - 1);
  }
  void AddTransition(StateId q, std::optional<Symbol> a, Weight weight, StateId r) {
    states[Index(q)].transitions.push_back({a, std::move(weight), r});
  }
  State& at(StateId q) { return states[Index(q)]; }
  const State& at(StateId q) const { return states[Index(q)]; }
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_WFA_H_
