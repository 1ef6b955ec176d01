// Probabilistic DFAs (paper, Definition 5): a weighted DFA over the reals whose states each choose
// among their transitions and acceptance, and which ends with probability 1.

#ifndef FLARE_AUTOMATA_PAPER_PDFA_H_
#define FLARE_AUTOMATA_PAPER_PDFA_H_

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"

namespace flare {

class Pdfa {
 public:
  // Requires: deterministic, without ε, weights in [0, 1], IsLocallyNormalized and IsTight.
  explicit Pdfa(Wfa<double> wdfa);

  // The PDFA of a trim DFA that is uniform over the actions of each state (paper §3.1.1); it
  // depends only on the language, since equivalent states have the same actions.
  // Requires: trim, and not the empty language.
  static Pdfa UniformOverActions(const Dfa& trim);

  const Wfa<double>& wdfa() const { return wdfa_; }
  double Probability(StringView w) const;

 private:
  Wfa<double> wdfa_;
};

// Every state's transition weights and accept weight sum to 1 (within 1e-12).
bool IsLocallyNormalized(const Wfa<double>& wdfa);

// The strings' probabilities sum to 1. A locally normalized automaton loses mass exactly to states
// that it can reach and never leave for acceptance, so it is tight if and only if every state that
// is reachable with positive probability can accept with positive probability (Du et al. 2023).
// Requires: IsLocallyNormalized.
bool IsTight(const Wfa<double>& wdfa);

// Does it have at most one transition per state and symbol, and none by ε?
bool IsDeterministic(const Wfa<double>& wdfa);

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_PDFA_H_
