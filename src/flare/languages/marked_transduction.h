// Languages of the form { u # f(u) | u ∈ Γ* } with |f(u)| = |u|: reversal, copy, odds first, bucket
// sort. Each supplies Γ and f; the rest follows (paper, Appendix E, Marked Reversal).

#ifndef FLARE_LANGUAGES_MARKED_TRANSDUCTION_H_
#define FLARE_LANGUAGES_MARKED_TRANSDUCTION_H_

#include <memory>
#include <string>
#include <vector>

#include "flare/languages/language.h"

namespace flare {

class MarkedTransduction : public Language {
 public:
  // f(u). Requires of it: as many symbols as u, all of Γ.
  using Function = String (*)(StringView u);

  // `symbols` is Γ, without the marker #.
  MarkedTransduction(const std::vector<std::string>& symbols, Function function);

  const Alphabet& alphabet() const override { return alphabet_; }
  bool Contains(StringView w) const override;
  void NextSymbols(StringView w, NextSymbolSets& sets) const override;
  // |u| uniform over what fits the range, then u uniform over Γ^|u|.
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override;

 private:
  class Sampler;

  Alphabet alphabet_;
  Symbol mark_;
  std::vector<Symbol> symbols_;  // Γ
  Function function_;
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_MARKED_TRANSDUCTION_H_
