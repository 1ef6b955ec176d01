// Negative examples for which knowing the format is worth nothing: strings of the language's
// envelope that are not members.

#ifndef FLARE_DATA_FORMAT_NEGATIVES_H_
#define FLARE_DATA_FORMAT_NEGATIVES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/length_sampler.h"
#include "flare/base/rng.h"
#include "flare/languages/language.h"

namespace flare {

class FormatNegatives {
 public:
  // Keeps a reference to the language. Throws InputError if it has no envelope, or none of the
  // envelope's strings with lengths in the range is outside the language.
  FormatNegatives(const NamedLanguage& language, LengthRange range, std::size_t most_proposals,
                  Distribution distribution);

  // A length uniform over those that envelope ∖ language has, then a string of its minimal DFA by
  // the distribution: uniform, or by the paper's law (Eq. 1) as members are. For languages that are
  // not regular by rejection: strings of a length of the envelope are drawn until one is not a
  // member, at most kDrawsPerLength; then another length is tried. Throws InputError after
  // `most_proposals` strings that are all members.
  void Sample(Rng& rng, String& w) const;

 private:
  static constexpr std::size_t kDrawsPerLength = 100;

  const NamedLanguage& language_;
  LengthRange range_;
  std::size_t most_proposals_;
  std::unique_ptr<LengthSampler> sampler_;
  std::vector<std::size_t> lengths_;
};

}  // namespace flare

#endif  // FLARE_DATA_FORMAT_NEGATIVES_H_
