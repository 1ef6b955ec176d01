#include "flare/languages/language.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "flare/automata/operations.h"
#include "flare/base/error.h"

namespace flare {

std::string ShortName(LanguageClass c) {
  switch (c) {
    case LanguageClass::kRegular:
      return "R";
    case LanguageClass::kDeterministicContextFree:
      return "DCF";
    case LanguageClass::kContextFree:
      return "CF";
    case LanguageClass::kContextSensitive:
      return "CS";
    case LanguageClass::kUnknown:
      return "?";
  }
  __builtin_unreachable();
}

std::string LongName(LanguageClass c) {
  switch (c) {
    case LanguageClass::kRegular:
      return "regular";
    case LanguageClass::kDeterministicContextFree:
      return "deterministic context-free";
    case LanguageClass::kContextFree:
      return "context-free";
    case LanguageClass::kContextSensitive:
      return "context-sensitive";
    case LanguageClass::kUnknown:
      return "of unknown class";
  }
  __builtin_unreachable();
}

void ThrowNoMember(LengthRange range) {
  throw InputError("", fmt::format("the language has no string with a length in [{}, {}]",
                                   range.min, range.max));
}

namespace {

// Paper, Eq. 1.
class RegularSampler : public PositiveSampler, public Density {
 public:
  RegularSampler(const Dfa& dfa, LengthRange range, Distribution distribution)
      : sampler_(dfa, distribution, range.max), lengths_(sampler_.ValidLengths(range)) {
    if (lengths_.empty()) ThrowNoMember(range);
  }

  void Sample(Rng& rng, String& w) const override {
    sampler_.Sample(lengths_[rng.UniformInt(lengths_.size())], rng, w);
  }
  const Density* density() const override { return this; }
  double LogProbability(StringView w) const override {
    return sampler_.LogProbability(w) - std::log(static_cast<double>(lengths_.size()));
  }

 private:
  LengthSampler sampler_;
  std::vector<std::size_t> lengths_;
};

// The next-symbol sets of all states, a bit per symbol.
NextSymbolSets NextOf(const Dfa& dfa) {
  constexpr std::size_t kMostBits = std::size_t{1} << 30;
  if (dfa.num_states() > kMostBits / (dfa.alphabet().size() + 64)) {
    throw InputError("", fmt::format("the automaton is too large: {} states, each of which has a "
                                     "set of next symbols out of {}",
                                     dfa.num_states(), dfa.alphabet().size()));
  }
  return ComputeNext(dfa);
}

}  // namespace

RegularLanguage::RegularLanguage(const Dfa& dfa)
    : matcher_(Minimize(dfa)), next_(NextOf(matcher_.dfa())) {
  if (IsEmpty(matcher_.dfa())) throw InputError("", "the language is empty: it has no strings");
}

void RegularLanguage::NextSymbols(StringView w, NextSymbolSets& sets) const {
  const Dfa& dfa = matcher_.dfa();
  sets.Clear();
  StateId q = dfa.start();
  sets.Append(next_.Words(Index(q)));
  for (const Symbol a : w) {
    const auto next = dfa.Next(q, a);
    FLARE_CHECK(next.has_value());
    q = *next;
    sets.Append(next_.Words(Index(q)));
  }
}

std::unique_ptr<PositiveSampler> RegularLanguage::MakeSampler(LengthRange range,
                                                              Distribution distribution) const {
  return std::make_unique<RegularSampler>(matcher_.dfa(), range, distribution);
}

}  // namespace flare
