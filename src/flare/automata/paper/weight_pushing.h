// Length-constrained sampling exactly as the paper defines it (Appendix B, Algorithms 1, 2, 5, 7;
// Algorithm 6 is ComputeNext in dfa.h): lift a DFA to the binning semiring, push its weights once
// for all lengths, draw. O(|Q|³n²) preparation: this is the definition and the test oracle of
// LengthSampler, which does the same in O(|δ|·n).
//
//   BinningSemiring<LogSemiring> s(40);
//   const auto pushed = PushWeights(s, LiftWeights(s, dfa));
//   const auto lengths = ComputeValidLengths(s, pushed.allsum, {0, 40});
//   String w = Sample(pushed.wdfa, lengths[rng.UniformInt(lengths.size())], rng);

#ifndef FLARE_AUTOMATA_PAPER_WEIGHT_PUSHING_H_
#define FLARE_AUTOMATA_PAPER_WEIGHT_PUSHING_H_

#include <cstddef>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/automata/paper/binning_semiring.h"
#include "flare/automata/paper/path_sums.h"
#include "flare/automata/paper/semirings.h"
#include "flare/base/error.h"
#include "flare/base/rng.h"

namespace flare {

// Algorithm 1. Every state chooses uniformly among its actions (its transitions and, if it accepts,
// acceptance); a transition scans one symbol, so its probability goes to bin 1. An order of 0 has
// no bin 1: transitions vanish.
template <Probabilistic Base>
Wfa<std::vector<typename Base::Weight>> LiftWeights(const BinningSemiring<Base>& s,
                                                    const Dfa& dfa) {
  Wfa<std::vector<typename Base::Weight>> lifted(dfa.alphabet());
  for (std::size_t i = 0; i < dfa.num_states(); ++i) {
    const StateId q = StateAt(i);
    const std::size_t k = dfa.TransitionsFrom(q).size() + (dfa.IsAccepting(q) ? 1 : 0);
    const auto p = s.base().FromReal(1.0 / static_cast<double>(k));
    lifted.AddState(dfa.IsAccepting(q) ? s.Bin(0, p) : s.Zero());
    for (const auto& [a, r] : dfa.TransitionsFrom(q)) {
      lifted.AddTransition(q, a, s.order() > 0 ? s.Bin(1, p) : s.Zero(), r);
    }
  }
  lifted.start = dfa.start();
  return lifted;
}

template <class Weight>
struct PushedWeights {
  // weight[i] of a transition: its probability, given that exactly i symbols are still to be
  // scanned; 0 where the state cannot scan i symbols and accept.
  Wfa<std::vector<double>> wdfa;
  std::vector<Weight> allsum;  // bin i: the probability that a string has length i
};

// Algorithm 2. The softmax of its line 8 is a bin-by-bin division by the sum over the state's
// transitions, here in any semiring that divides.
template <Probabilistic Base>
requires Closed<Base> PushedWeights<typename Base::Weight> PushWeights(
    const BinningSemiring<Base>& s, const Wfa<std::vector<typename Base::Weight>>& lifted) {
  const auto beta = Backward(s, lifted);
  Wfa<std::vector<double>> pushed(lifted.alphabet);
  for (std::size_t q = 0; q < lifted.states.size(); ++q) {
    const auto& transitions = lifted.states[q].transitions;
    std::vector<std::vector<typename Base::Weight>> T;
    auto total = s.Zero();
    for (const auto& t : transitions) {
      T.push_back(s.Times(t.weight, beta[Index(t.target)]));
      total = s.Plus(total, T.back());
    }
    const StateId id = pushed.AddState(std::vector<double>(s.order() + 1, 0));
    for (std::size_t t = 0; t < transitions.size(); ++t) {
      std::vector<double> p(s.order() + 1, 0);
      for (std::size_t i = 0; i <= s.order(); ++i) {
        if (total[i] != s.base().Zero()) p[i] = s.base().ToReal(s.base().Divide(T[t][i], total[i]));
      }
      pushed.AddTransition(id, transitions[t].symbol, std::move(p), transitions[t].target);
    }
  }
  pushed.start = lifted.start;
  return {std::move(pushed), beta[Index(lifted.start)]};
}

// Algorithm 5. Requires: range.max <= s.order().
template <Semiring Base>
std::vector<std::size_t> ComputeValidLengths(const BinningSemiring<Base>& s,
                                             const std::vector<typename Base::Weight>& allsum,
                                             LengthRange range) {
  FLARE_CHECK(range.max <= s.order());
  std::vector<std::size_t> lengths;
  for (std::size_t n = range.min; n <= range.max; ++n) {
    if (allsum[n] != s.base().Zero()) lengths.push_back(n);
  }
  return lengths;
}

// Algorithm 7. Requires: `length` is a valid length.
inline String Sample(const Wfa<std::vector<double>>& pushed, std::size_t length, Rng& rng) {
  String w;
  StateId q = pushed.start;
  for (std::size_t i = length; i >= 1; --i) {
    const auto& transitions = pushed.at(q).transitions;
    double u = rng.Uniform();
    // The last transition that is possible at all also takes what rounding left over.
    const Wfa<std::vector<double>>::Transition* chosen = nullptr;
    for (const auto& t : transitions) {
      if (t.weight[i] == 0) continue;
      chosen = &t;
      u -= t.weight[i];
      if (u < 0) break;
    }
    FLARE_CHECK(chosen != nullptr);
    w.push_back(*chosen->symbol);
    q = chosen->target;
  }
  return w;
}

}  // namespace flare

#endif  // FLARE_AUTOMATA_PAPER_WEIGHT_PUSHING_H_
