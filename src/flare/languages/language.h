// A language as a set of strings that can be sampled and recognized; a regular one; and a language
// with what is said about it.

#ifndef FLARE_LANGUAGES_LANGUAGE_H_
#define FLARE_LANGUAGES_LANGUAGE_H_

#include <memory>
#include <string>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/automata/length_sampler.h"
#include "flare/automata/matching.h"
#include "flare/base/rng.h"

namespace flare {

// The smallest class of the hierarchy that the language belongs to (paper, Table 1).
enum class LanguageClass {
  kRegular,
  kDeterministicContextFree,
  kContextFree,
  kContextSensitive,
  kUnknown,  // nobody has classified it
};

// "R", "DCF", "CF", "CS", "?".
std::string ShortName(LanguageClass c);
// "regular", "deterministic context-free", ...
std::string LongName(LanguageClass c);

// A distribution over strings whose probabilities are known in closed form.
class Density {
 public:
  virtual ~Density() = default;
  // ln p(w). Requires: w is a member whose length is in the sampler's range.
  virtual double LogProbability(StringView w) const = 0;
};

// Draws members with lengths in a range; made by Language::MakeSampler, and may refer to its maker.
class PositiveSampler {
 public:
  virtual ~PositiveSampler() = default;
  // Replaces w by a member.
  virtual void Sample(Rng& rng, String& w) const = 0;
  // The distribution of what Sample draws; null where the paper gives no closed form for it.
  virtual const Density* density() const { return nullptr; }
};

// How far strings are from a language.
class EditMetric {
 public:
  virtual ~EditMetric() = default;
  // The least number of single-symbol insertions, deletions and replacements that make w a member
  // (paper, Appendix J). Throws InputError if w is too long for it.
  virtual std::size_t Distance(StringView w) const = 0;
};

class Language {
 public:
  virtual ~Language() = default;

  virtual const Alphabet& alphabet() const = 0;
  virtual bool Contains(StringView w) const = 0;

  // The distribution that the paper gives the language (Eq. 1 for regular ones, else Appendix E).
  // Throws InputError if no member has a length in the range.
  virtual std::unique_ptr<PositiveSampler> MakeSampler(LengthRange range) const = 0;
  // Draws the same lengths, then uniformly among the strings of the length (MLRegTest; paper,
  // Appendix F); null if the language has no such sampler.
  virtual std::unique_ptr<PositiveSampler> MakeUniformSampler(LengthRange /*range*/) const {
    return nullptr;
  }

  // Fills `sets` with the |w|+1 next-symbol sets of the prefixes of w. Requires: w is a member, and
  // `sets` was made for this alphabet.
  virtual void NextSymbols(StringView w, NextSymbolSets& sets) const = 0;

  // The minimal trim DFA, or null if the language is not regular.
  virtual const Dfa* dfa() const { return nullptr; }
  // Null where no algorithm is known.
  virtual const EditMetric* edit_metric() const { return nullptr; }
};

// Throws MakeSampler's error for a range that holds no member.
[[noreturn]] void ThrowNoMember(LengthRange range);

// Any DFA as a language: membership, exact sampling, next symbols and edit distance all follow.
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

// A language with what is said about it: what a name, a definition or a manifest stands for.
struct NamedLanguage {
  std::string name;  // as it was written
  LanguageClass language_class;
  std::string definition;
  // Names the language itself, for random streams: the name of a built-in one; for others a hash of
  // what they are, however they were written.
  std::string identity;
  // A pattern of the strings that have the format of members, as in the catalogue; empty where
  // none is known (envelope.h finds one).
  std::string envelope = {};
  bool envelope_is_given = false;  // by a user, in place of the catalogue's or where there is none
  std::unique_ptr<const Language> language;

  // The language as a regular one, or null.
  const RegularLanguage* regular() const {
    return dynamic_cast<const RegularLanguage*>(language.get());
  }
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_LANGUAGE_H_
