// The language that a run was meant to learn, and the strings that its network is asked about.
// Every draw has a random stream of its own, which is the same for every run.

#ifndef FLARE_EXTRACTION_STRINGS_H_
#define FLARE_EXTRACTION_STRINGS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/data/dataset_config.h"
#include "flare/data/flare_files.h"
#include "flare/languages/context_free.h"
#include "flare/languages/language.h"
#include "flare/training/run_data.h"

namespace flare {

struct ExtractionTarget {
  std::optional<NamedLanguage> language;
  std::string unknown = {};   // why the language is not known
  DatasetConfig config = {};  // how the dataset was drawn, if the language is known

  // Are the dataset's members uniform over those of their length?
  bool members_are_uniform() const;
  // Null unless it is known and regular.
  const Dfa* dfa() const { return language ? language->language->dfa() : nullptr; }
  // Null unless it is known and has a grammar.
  const ContextFreeLanguage* grammar() const {
    return language ? dynamic_cast<const ContextFreeLanguage*>(language->language.get()) : nullptr;
  }
};

// The manifest of the run's dataset names the target; without a manifest, the name of the dataset
// does, if it is one of the catalogue's. Throws InputError if the manifest belongs to other data.
ExtractionTarget TargetOf(const RunData& data);

// All strings of one length, in symbol order: the greatest length up to `max_length` that has at
// most `most` strings. Their prefixes are all shorter strings.
std::vector<String> AllOfOneLength(std::size_t alphabet_size, std::size_t max_length,
                                   std::size_t most);

// Draws `of_each` members by the language's own law, as many negatives by the paper's proposals,
// and as many uniform strings, all up to a length. If the language is not known, 2·of_each training
// strings replace the members and the negatives.
std::vector<String> DrawLikeTheRun(const ExtractionTarget& target,
                                   const std::optional<Split>& training, std::size_t alphabet_size,
                                   std::size_t max_length, std::size_t of_each,
                                   const std::string& stream);

// The kinds of strings on which an automaton is compared with its network.
enum class StringKind {
  kMembers,    // drawn by the dataset's law
  kNegatives,  // drawn by the dataset's law
  kUniform,    // a uniform length, then uniform over the strings of that length
};

// Draws fresh strings of one kind and range of lengths. The dataset's law is that of its test
// split, or of its training split if it has no test split. Returns fewer strings, or none, if the
// range has too few. Requires: a known target, unless the kind is kUniform.
std::vector<String> DrawStrings(StringKind kind, const ExtractionTarget& target,
                                std::size_t alphabet_size, LengthRange lengths, std::size_t count);

}  // namespace flare

#endif  // FLARE_EXTRACTION_STRINGS_H_
