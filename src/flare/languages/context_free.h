// Any grammar as a language: membership, exact sampling, next symbols and edit distance all follow.

#ifndef FLARE_LANGUAGES_CONTEXT_FREE_H_
#define FLARE_LANGUAGES_CONTEXT_FREE_H_

#include <memory>
#include <optional>
#include <string>

#include "flare/grammars/grammar.h"
#include "flare/grammars/normal_form.h"
#include "flare/grammars/recognizer.h"
#include "flare/languages/language.h"

namespace flare {

class ContextFreeLanguage : public Language, private EditMetric {
 public:
  // Throws InputError with `where` if the language is empty or the grammar too large.
  ContextFreeLanguage(Grammar grammar, const std::string& where);

  const Alphabet& alphabet() const override { return grammar_.alphabet; }
  bool Contains(StringView w) const override { return recognizer_.Accepts(w); }
  // A length uniform over the valid ones of the range, then a string by the grammar's weights,
  // conditioned on that length. Unlike Eq. 1 of the paper this depends on the grammar, not on the
  // language alone.
  std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const override;
  // Draws derivations, and keeps a string with m of them with probability 1/m. So it need not be
  // known whether the grammar is ambiguous; if it is too ambiguous, drawing throws InputError.
  std::unique_ptr<PositiveSampler> MakeUniformSampler(LengthRange range) const override;
  void NextSymbols(StringView w, NextSymbolSets& sets) const override {
    recognizer_.NextSymbols(w, sets);
  }
  const EditMetric* edit_metric() const override { return this; }

  const Grammar& grammar() const { return grammar_; }
  const NormalForm& normal_form() const { return normal_; }
  const Recognizer& recognizer() const { return recognizer_; }
  // Every string has one derivation, and the language is deterministic: the grammar is LR(1).
  bool is_lr1() const { return is_lr1_; }

  struct AmbiguousString {
    String w;
    double derivations;
  };
  // A short string with several derivations, if a few draws meet one.
  std::optional<AmbiguousString> FindAmbiguousString() const;

 private:
  std::size_t Distance(StringView w) const override;

  Grammar grammar_;
  NormalForm normal_;
  LeftCorners left_corners_;
  Recognizer recognizer_;
  bool is_lr1_;
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_CONTEXT_FREE_H_
