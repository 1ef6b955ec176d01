#include "flare/data/format_negatives.h"

#include <fmt/format.h>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/languages/envelope.h"

namespace flare {

FormatNegatives::FormatNegatives(const NamedLanguage& language, LengthRange range,
                                 std::size_t most_proposals, Distribution distribution)
    : language_(language), range_(range), most_proposals_(most_proposals) {
  auto envelope = EnvelopeAutomaton(language);
  if (!envelope) {
    throw InputError("", "negatives.kind: format needs an envelope, and none is known",
                     "give one with --envelope");
  }
  if (const Dfa* members = language.language->dfa()) {
    Effort effort(language.name);
    envelope = Minimize(Intersect(*envelope, Complement(*members, effort), effort));
  }
  sampler_ = std::make_unique<LengthSampler>(*envelope, distribution, range.max);
  lengths_ = sampler_->ValidLengths(range);
  if (lengths_.empty()) {
    throw InputError("", fmt::format("negatives.kind: every string of the format {} with a length "
                                     "in [{}, {}] is a member",
                                     EnvelopeOf(language), range.min, range.max));
  }
}

void FormatNegatives::Sample(Rng& rng, String& w) const {
  std::size_t length = 0;
  for (std::size_t draws = 0; draws < most_proposals_; ++draws) {
    if (draws % kDrawsPerLength == 0) length = lengths_[rng.UniformInt(lengths_.size())];
    sampler_->Sample(length, rng, w);
    if (language_.language->dfa() != nullptr || !language_.language->Contains(w)) return;
  }
  throw InputError("", fmt::format("no string outside the language found among {} of its format "
                                   "{} with lengths in [{}, {}]",
                                   most_proposals_, EnvelopeOf(language_), range_.min, range_.max));
}

}  // namespace flare
