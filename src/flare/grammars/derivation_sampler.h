// Exact sampling of derivations whose strings have a given length.
//
//   βₙ(a) = [n=1],   βₙ(A) = Σ_{A→a} p·[n=1] + Σ_{A→XY} p · Σₖ βₖ(X)·βₙ₋ₖ(Y)
//
// is the grammar's sum in the paper's binning semiring (Definition 6): every terminal has length 1,
// and the one star that it takes, that of unit rules, is in the normal form. O(bodies·n²), where
// terminals cost nothing. A draw descends from (start, n), choosing a rule and a split at each
// nonterminal; splits are searched from both ends, k = 1, n−1, 2, n−2, …, so that a string takes
// O(n log n). Arithmetic as in automata/length_sampler.h: the same bytes on every machine.

#ifndef FLARE_GRAMMARS_DERIVATION_SAMPLER_H_
#define FLARE_GRAMMARS_DERIVATION_SAMPLER_H_

#include <cstddef>
#include <vector>

#include "flare/automata/extended_real.h"
#include "flare/base/rng.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"

namespace flare {

// Constant after construction; refers to the normal form.
class DerivationSampler {
 public:
  // Bodies times the square of the longest length; more is refused.
  static constexpr std::size_t kMostSteps = 2'000'000'000;

  // Throws InputError if the tables would be too large.
  DerivationSampler(const NormalForm& normal, RuleWeights weights, std::size_t max_length);

  // βₙ of the start: with given weights, the probability of the length under the grammar; else the
  // number of derivations. Requires: length <= max_length().
  const ExtendedReal& Total(std::size_t length) const { return total_[length]; }
  bool HasLength(std::size_t length) const { return !total_[length].IsZero(); }
  std::size_t max_length() const { return max_length_; }

  // The string of a derivation drawn in proportion to its weight. Requires: HasLength(length).
  void Sample(std::size_t length, Rng& rng, String& w) const;

 private:
  // Part of a derivation that is still to be drawn.
  struct Span {
    GrammarSymbol symbol;
    std::size_t length;
  };

  ExtendedReal RuleWeight(double weight) const {
    return ExtendedReal(weights_ == RuleWeights::kGiven ? weight : 1.0);
  }
  const ExtendedReal& Beta(GrammarSymbol x, std::size_t n) const {
    return beta_[Index(x) * (max_length_ + 1) + n];
  }
  // Σₖ βₖ(X)·βₙ₋ₖ(Y).
  ExtendedReal Convolve(const NormalForm::Body& body, std::size_t n) const;
  // A body of the nonterminal for n symbols; its number of symbols for the left part.
  std::uint32_t DrawBody(std::size_t nonterminal, std::size_t n, Rng& rng) const;
  std::size_t DrawSplit(std::uint32_t body, std::size_t n, Rng& rng) const;
  Symbol DrawTerminal(std::size_t nonterminal, Rng& rng) const;

  const NormalForm& normal_;
  RuleWeights weights_;
  std::size_t max_length_;
  std::vector<ExtendedReal> beta_;       // (grammar symbol, length)
  std::vector<ExtendedReal> body_beta_;  // (body, length)
  std::vector<ExtendedReal> total_;      // by length
};

}  // namespace flare

#endif  // FLARE_GRAMMARS_DERIVATION_SAMPLER_H_
