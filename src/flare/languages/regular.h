// Any DFA as a language: membership, exact sampling, next symbols and edit distance all follow.

#ifndef FLARE_LANGUAGES_REGULAR_H_
#define FLARE_LANGUAGES_REGULAR_H_

#include <memory>

#include "flare/automata/dfa.h"
#include "flare/automata/length_sampler.h"
#include "flare/automata/matching.h"
#include "flare/languages/language.h"

namespace flare {

class RegularLanguage : public Language, private EditMetric {
 public:
  // Any DFA of the language; it is minimized, which changes neither distribution.
  // Throws InputError if the language is empty.
  explicit RegularLanguage(const Dfa& dfa);

  const Alphabet& alphabet() const override { return matcher_.dfa().alphabet(); }
  bool Contains(StringView w) const override { return matcher_.Accepts(w); }
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override {
    return MakeSampler(range, Distribution::kPaper);
  }
  std::unique_ptr<PositiveSampler> MakeUniformSampler(LengthRange range) const override {
    return MakeSampler(range, Distribution::kUniform);
  }
  void NextSymbols(StringView w, NextSymbolSets& sets) const override;
  const Dfa* dfa() const override { return &matcher_.dfa(); }
  const EditMetric* edit_metric() const override { return this; }

  // A length uniform over the valid ones of the range, then a string of that length.
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range, Distribution distribution) const;

 private:
  std::size_t Distance(StringView w) const override { return EditDistance(matcher_.dfa(), w); }

  Matcher matcher_;
  NextSymbolSets next_;  // set q belongs to state q
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_REGULAR_H_
