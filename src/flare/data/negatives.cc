#include "flare/data/negatives.h"

#include <fmt/format.h>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/languages/envelope.h"

namespace flare {
namespace {

enum class Edit { kInsert, kReplace, kDelete };

}  // namespace

bool EditOnce(std::size_t alphabet_size, LengthRange range, Rng& rng, String& w) {
  Edit allowed[3];
  std::size_t count = 0;
  if (w.size() < range.max) allowed[count++] = Edit::kInsert;
  if (!w.empty() && alphabet_size > 1) allowed[count++] = Edit::kReplace;
  if (w.size() > range.min) allowed[count++] = Edit::kDelete;
  if (count == 0) return false;
  switch (allowed[rng.UniformInt(count)]) {
    case Edit::kInsert: {
      const std::size_t position = rng.UniformInt(w.size() + 1);
      const Symbol a = SymbolAt(rng.UniformInt(alphabet_size));
      w.insert(w.begin() + static_cast<std::ptrdiff_t>(position), a);
      break;
    }
    case Edit::kReplace: {
      Symbol& a = w[rng.UniformInt(w.size())];
      // One of the other symbols: skip over the present one.
      const std::size_t other = rng.UniformInt(alphabet_size - 1);
      a = SymbolAt(other < Index(a) ? other : other + 1);
      break;
    }
    case Edit::kDelete: {
      const std::size_t position = rng.UniformInt(w.size());
      w.erase(w.begin() + static_cast<std::ptrdiff_t>(position));
      break;
    }
  }
  return true;
}

void NegativeSampler::ProposeUniform(Rng& rng, String& w) const {
  w.resize(range_.min + rng.UniformInt(range_.max - range_.min + 1));
  for (Symbol& a : w) a = SymbolAt(rng.UniformInt(language_.alphabet().size()));
}

std::optional<std::size_t> NegativeSampler::ProposePerturbed(Rng& rng, String& w) const {
  positives_.Sample(rng, w);
  std::size_t edits = 1;
  while (rng.Uniform() >= options_.stop_probability) ++edits;
  for (std::size_t i = 0; i < edits; ++i) {
    if (!EditOnce(language_.alphabet().size(), range_, rng, w)) return std::nullopt;
  }
  return edits;
}

std::optional<std::size_t> NegativeSampler::Sample(Rng& rng, String& w) const {
  for (std::size_t i = 0; i < options_.most_proposals; ++i) {
    std::optional<std::size_t> num_edits;
    if (rng.Uniform() < options_.perturbation_probability) {
      num_edits = ProposePerturbed(rng, w);
      if (!num_edits) continue;
    } else {
      ProposeUniform(rng, w);
    }
    if (!language_.Contains(w)) return num_edits;
  }
  throw InputError("", fmt::format("no string outside the language found in {} proposals with "
                                   "lengths in [{}, {}]: its complement is too small",
                                   options_.most_proposals, range_.min, range_.max));
}

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
