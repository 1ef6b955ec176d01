// What language a run was to learn, and the strings that its network is asked for. All draws have
// streams of their own, the same for every run.

#ifndef FLARE_EXTRACTION_STRINGS_H_
#define FLARE_EXTRACTION_STRINGS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/symbol.h"
#include "flare/data/split.h"
#include "flare/languages/context_free.h"
#include "flare/languages/named_language.h"
#include "flare/training/run_data.h"

namespace flare {

struct ExtractionTarget {
  std::optional<NamedLanguage> language;
  std::string unknown = {};  // why there is none

  // Null unless it is known and regular.
  const Dfa* dfa() const { return language ? language->language->dfa() : nullptr; }
  // Null unless it is known and has a grammar.
  const ContextFreeLanguage* grammar() const {
    return language ? dynamic_cast<const ContextFreeLanguage*>(language->language.get()) : nullptr;
  }
};

// By the dataset's manifest, else by its name in the catalogue; with the alphabet of the data.
// Throws InputError if the manifest is that of other data.
ExtractionTarget TargetOf(const RunData& data);

// All strings of the greatest length of which there are at most `most`; prefixes of them are all
// shorter ones. No longer than `max_length`. In symbol order.
std::vector<String> AllOfOneLength(std::size_t alphabet_size, std::size_t max_length,
                                   std::size_t most);

// Strings as the run saw them, up to a length: `of_each` members, negatives and uniform strings. If
// the language is not known, twice as many of the training split instead of the first two kinds.
std::vector<String> DrawLikeTheRun(const ExtractionTarget& target,
                                   const std::optional<Split>& training, std::size_t alphabet_size,
                                   std::size_t max_length, std::size_t of_each,
                                   const std::string& stream);

// Kinds of strings to measure on; a kind has one law for every range of lengths.
enum class StringKind {
  kMembers,     // by the language's law
  kNonMembers,  // uniform of a length, which is uniform over those that have some
  kAny,         // uniform
};
// Fewer, or none, if there are not that many. Non-members of a language that is not regular are
// found by rejection: lengths that hardly have any are left out. Requires: a known target, unless
// the kind is kAny.
std::vector<String> DrawOfKind(StringKind kind, const ExtractionTarget& target,
                               std::size_t alphabet_size, LengthRange lengths, std::size_t count,
                               const std::string& stream);

}  // namespace flare

#endif  // FLARE_EXTRACTION_STRINGS_H_
