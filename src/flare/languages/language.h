// A formal language: what everything to the right of this room knows about one.
//
//   const auto parity = FindInCatalog("parity")->make();
//   parity->Contains(w);
//   const auto sampler = parity->MakeSampler({0, 40});
//   sampler->Sample(rng, w);
//
// Optional abilities are pointers that may be null, without a separate question. Objects are
// constant after construction, so one can be shared by threads.

#ifndef FLARE_LANGUAGES_LANGUAGE_H_
#define FLARE_LANGUAGES_LANGUAGE_H_

#include <memory>
#include <string>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/base/rng.h"

namespace flare {

// The smallest class of the hierarchy that the language belongs to (paper, Table 1).
enum class LanguageClass {
  kRegular,
  kDeterministicContextFree,
  kContextFree,
  kContextSensitive,
  kUnknown,  // nobody has said
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
  // The same lengths, then uniform over the strings of the length (MLRegTest; paper, Appendix F);
  // null where that is not known.
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

// What MakeSampler throws when a range holds no member.
[[noreturn]] void ThrowNoMember(LengthRange range);

}  // namespace flare

#endif  // FLARE_LANGUAGES_LANGUAGE_H_
