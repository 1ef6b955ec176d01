// Exact sampling of strings of a given length from a regular language: the production path.
//
// In the lifted automaton (weight_pushing.h) every transition scans exactly one symbol, so the bins
// of the backward weights need no matrix inversion:
//
//   β₀(q) = ρ(q),   βᵢ(q) = ⊕_{q –a/p→ r} p ⊗ βᵢ₋₁(r),
//
// all lengths 0..n in O(|δ|·n) instead of O(|Q|³n² + |δ|n²). What is kept is, for every transition
// and every number i of symbols still to scan, the cumulative probability of taking it or one
// before it: a draw is one uniform number and a search. Arithmetic: extended_real.h, so the same
// seed gives the same strings on every machine. With k the largest out-degree, a table entry for i
// symbols is off by a relative i·(k+1)·2^-52 at most, to first order: each of the two sums of its
// quotient has gone through at most i·(k+1) roundings.
//
//   const LengthSampler sampler(dfa, Distribution::kPaper, 500);
//   if (sampler.HasLength(40)) sampler.Sample(40, rng, w);

#ifndef FLARE_AUTOMATA_LENGTH_SAMPLER_H_
#define FLARE_AUTOMATA_LENGTH_SAMPLER_H_

#include <cstddef>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/automata/extended_real.h"
#include "flare/base/rng.h"

namespace flare {

enum class Distribution {
  kPaper,    // uniform over the actions of each state, conditioned on the length (paper, Eq. 1)
  kUniform,  // uniform over the strings of the length (MLRegTest; paper, Appendix F)
};

class LengthSampler {
 public:
  // Numbers of 8 bytes, (|δ|+3)·n of them; more is refused with InputError.
  static constexpr std::size_t kLargestTable = std::size_t{1} << 28;

  // Requires: a trim DFA.
  LengthSampler(Dfa trim, Distribution distribution, std::size_t max_length);

  std::size_t max_length() const { return max_length_; }
  // The memory that the tables take, in bytes.
  std::size_t table_bytes() const { return cumulative_.size() * sizeof(double); }

  // Is there a string of this length? Requires: length <= max_length().
  bool HasLength(std::size_t length) const { return !allsum_[length].IsZero(); }
  // The paper's 𝒩 (Algorithm 5). Requires: range.max <= max_length().
  std::vector<std::size_t> ValidLengths(LengthRange range) const;

  // Draws a string of this length into w. Requires: HasLength(length).
  void Sample(std::size_t length, Rng& rng, String& w) const;

  // The probability of taking transition t of δ when i symbols are still to be scanned; 0 if its
  // source cannot scan i symbols and accept. Requires: 1 <= i <= max_length().
  double TransitionProbability(std::size_t i, std::size_t t) const;

  // ln P(w | |w|): the logarithm of the probability that Sample(|w|) draws w; −∞ if w is not in the
  // language. Requires: |w| <= max_length().
  double LogProbability(StringView w) const;

 private:
  void BuildTables();

  Dfa dfa_;
  std::size_t max_length_;
  // The weight of each action of a state: 1/k for kPaper, 1 for kUniform.
  std::vector<ExtendedReal> action_weight_;
  // (n, |δ|): row i-1 belongs to i symbols still to scan, in the order of dfa_.transitions().
  std::vector<double> cumulative_;
  std::vector<ExtendedReal> allsum_;  // βᵢ(q₀) for i = 0..n
};

}  // namespace flare

#endif  // FLARE_AUTOMATA_LENGTH_SAMPLER_H_
