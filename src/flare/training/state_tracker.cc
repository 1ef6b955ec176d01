#include "flare/training/state_tracker.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/data/flare_files.h"
#include "flare/data/manifest.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "flare/training/run_data.h"

namespace flare {
namespace {

constexpr const char* kWhy = "the loss term st needs the states of a DFA";

// The table takes four bytes for every state and symbol.
constexpr std::size_t kLargestTable = std::size_t{1} << 26;

StateTracker TrackerOfLanguage(const Language& language, const PinnedData& data) {
  const Dfa* dfa = language.dfa();
  if (dfa == nullptr) {
    throw InputError(data.path, fmt::format("its language, {}, is not regular: {}",
                                            Quoted(data.language), kWhy));
  }
  if ((dfa->num_states() + 1) * data.alphabet.size() > kLargestTable) {
    throw InputError(data.path, fmt::format("its language has {} states over {} symbols, too many "
                                            "for the loss term st",
                                            dfa->num_states(), data.alphabet.size()));
  }
  return {*dfa, Alphabet(data.alphabet)};
}

}  // namespace

StateTracker::StateTracker(const Dfa& minimal, const Alphabet& alphabet)
    : start_(static_cast<std::uint32_t>(minimal.start())), symbols_(alphabet.size()) {
  const std::size_t states = minimal.num_states();
  const auto nowhere = static_cast<std::uint32_t>(states);
  next_.assign(states * symbols_, nowhere);
  for (std::size_t q = 0; q < states; ++q) {
    for (const Dfa::Transition& t : minimal.TransitionsFrom(static_cast<StateId>(q))) {
      const auto symbol = alphabet.Find(minimal.alphabet().names()[Index(t.symbol)]);
      if (!symbol) continue;  // no string has it
      next_[q * symbols_ + Index(*symbol)] = static_cast<std::uint32_t>(t.target);
    }
  }
  if (std::find(next_.begin(), next_.end(), nowhere) != next_.end()) {
    next_.insert(next_.end(), symbols_, nowhere);
  }
}

void StateTracker::Append(StringView w, std::vector<std::uint32_t>& states) const {
  std::uint32_t state = start_;
  states.push_back(state);
  for (const Symbol a : w) {
    state = next_[state * symbols_ + Index(a)];
    states.push_back(state);
  }
}

StateTracker TrackerOf(const PinnedData& data) {
  if (const auto manifest = ManifestOf(data)) {
    const NamedLanguage named =
        LoadLanguage(manifest->language, (data.path / kManifestFile).string());
    return TrackerOfLanguage(*named.language, data);
  }
  const CatalogEntry* entry = FindInCatalog(data.language);
  if (entry == nullptr) {
    throw InputError(data.path,
                     fmt::format("has no manifest, and {} is not a language of the catalogue: {}",
                                 Quoted(data.language), kWhy));
  }
  return TrackerOfLanguage(*entry->make(), data);
}

}  // namespace flare
