#include "flare/automata/paper/edit_automaton.h"

#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"
#include "flare/automata/paper/wfa_operations.h"

namespace flare {

Wfa<double> EditAutomaton(const Alphabet& alphabet, StringView w) {
  const TropicalSemiring s;
  Wfa<double> chain(alphabet);
  for (std::size_t i = 0; i <= w.size(); ++i) {
    const StateId q = chain.AddState(i == w.size() ? s.One() : s.Zero());
    for (std::size_t a = 0; a < alphabet.size(); ++a) {
      chain.AddTransition(q, SymbolAt(a), 1, q);
      if (i < w.size()) {
        chain.AddTransition(q, SymbolAt(a), SymbolAt(a) == w[i] ? 0 : 1, StateAt(i + 1));
      }
    }
    if (i < w.size()) chain.AddTransition(q, {}, 1, StateAt(i + 1));
  }
  chain.start = StateAt(0);
  return chain;
}

std::size_t EditDistanceByPathSum(const Dfa& dfa, StringView w) {
  const TropicalSemiring s;
  const auto product = Intersect(s, Lift(s, dfa), EditAutomaton(dfa.alphabet(), w));
  return static_cast<std::size_t>(Backward(s, product)[Index(product.start)]);
}

}  // namespace flare
