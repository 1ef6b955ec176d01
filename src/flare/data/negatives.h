// Negative examples (paper §3.1.3 and Appendix A): propose strings until one is not a member. Each
// proposal is, at random, uniform over a random length, or a member with a few random edits, which
// is harder to tell from a member.

#ifndef FLARE_DATA_NEGATIVES_H_
#define FLARE_DATA_NEGATIVES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/length_sampler.h"
#include "flare/base/rng.h"
#include "flare/languages/language.h"

namespace flare {

// Where non-members come from.
enum class NegativeKind {
  kProposals,  // proposals, as described above
  kFormat,     // strings of the language's envelope
};

// How strings of the format are drawn.
enum class NegativeLaw {
  kMembers,  // as the split's members: by the paper's law, or uniform
  kUniform,  // uniform, whatever the members' law is; so did all datasets up to version 0.2
};

struct NegativeOptions {
  NegativeKind kind = NegativeKind::kProposals;
  NegativeLaw law = NegativeLaw::kMembers;  // for kFormat only
  // The probability that a proposal is a perturbed member; decided separately for every proposal.
  double perturbation_probability = 0.5;
  // The number of edits is geometric from 1: after each edit this is the probability of stopping.
  double stop_probability = 0.5;
  // After this many proposals that were all members, the complement is taken to be too small.
  std::size_t most_proposals = 10'000;
};

struct Negative {
  String w;
  std::optional<std::size_t> num_edits;  // nullopt if it was drawn uniformly
};

class NegativeSampler {
 public:
  // Keeps references: the language and the sampler of its members in this range must outlive it.
  NegativeSampler(const Language& language, const PositiveSampler& positives, LengthRange range,
                  NegativeOptions options = {})
      : language_(language), positives_(positives), range_(range), options_(options) {}

  // Replaces w by a non-member; returns its number of edits. Throws InputError if no proposal
  // succeeds.
  std::optional<std::size_t> Sample(Rng& rng, String& w) const;
  Negative Sample(Rng& rng) const {
    Negative negative;
    negative.num_edits = Sample(rng, negative.w);
    return negative;
  }

 private:
  void ProposeUniform(Rng& rng, String& w) const;
  // The number of edits made; nothing if at some point no edit was allowed.
  std::optional<std::size_t> ProposePerturbed(Rng& rng, String& w) const;

  const Language& language_;
  const PositiveSampler& positives_;
  LengthRange range_;
  NegativeOptions options_;
};

// One random edit: its type uniform among those allowed (the length stays in the range; nothing is
// replaced in ε or over one symbol), then position and symbol uniform. False if none is allowed.
bool EditOnce(std::size_t alphabet_size, LengthRange range, Rng& rng, String& w);

// Negative examples for which knowing the format is worth nothing: strings of the language's
// envelope that are not members.
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

#endif  // FLARE_DATA_NEGATIVES_H_
