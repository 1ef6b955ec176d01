#include "flare/report/language_info.h"

#include <algorithm>

#include "flare/base/error.h"
#include "flare/data/flare_files.h"
#include "flare/data/negatives.h"
#include "flare/languages/catalog.h"
#include "flare/languages/source.h"

namespace flare::report {
namespace {

// Adds a string that is not there yet; languages with few strings get fewer samples.
void AddNew(const std::string& text, std::vector<std::string>& samples) {
  if (std::find(samples.begin(), samples.end(), text) == samples.end()) samples.push_back(text);
}

}  // namespace

std::optional<NamedLanguage> FindLanguage(const Study& study, const std::string& language) {
  const DatasetFacts& facts = study.facts.at(language);
  try {
    if (facts.saved_language && facts.saved_language->IsLoadable()) {
      return LoadLanguage(*facts.saved_language, study.datasets.at(language) / kManifestFile);
    }
  } catch (...) {
    CaughtFault();  // a definition that cannot be read says nothing
  }
  // Names alone: other definitions may open files and start programs, which are not the report's.
  if (FindInCatalog(facts.language_name) == nullptr) return std::nullopt;
  return ResolveLanguage(facts.language_name);
}

SampleStrings DrawSamples(const NamedLanguage& language) {
  constexpr std::size_t kSamples = 5;
  constexpr LengthRange kLengths{4, 16};
  SampleStrings samples;
  Rng rng = Rng::For(0, "report/samples/" + language.identity);
  const Alphabet& alphabet = language.language->alphabet();
  try {
    const auto sampler = language.language->MakeSampler(kLengths);
    const NegativeSampler negatives(*language.language, *sampler, kLengths);
    String w;
    for (std::size_t draw = 0; draw < 4 * kSamples && samples.members.size() < kSamples; ++draw) {
      sampler->Sample(rng, w);
      AddNew(alphabet.Format(w), samples.members);
    }
    for (std::size_t draw = 0; draw < 4 * kSamples && samples.others.size() < kSamples; ++draw) {
      AddNew(alphabet.Format(negatives.Sample(rng).w), samples.others);
    }
  } catch (const InputError&) {
    // No strings of these lengths, inside or outside: then there are none to show.
  }
  return samples;
}

}  // namespace flare::report
