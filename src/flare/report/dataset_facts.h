// What a report must know about the data of a language: how long the strings of its splits are,
// which language it is, and whether it is made as published ones are.

#ifndef FLARE_REPORT_DATASET_FACTS_H_
#define FLARE_REPORT_DATASET_FACTS_H_

#include <map>
#include <optional>
#include <string>

#include "flare/automata/symbol.h"
#include "flare/languages/saved_language.h"
#include "flare/report/source.h"

namespace flare::report {

struct DatasetFacts {
  std::map<std::string, LengthRange> lengths = {};  // of the splits for which they are known
  // Why runs on it cannot be compared with published ones, as "test has lengths up to 60, not 500";
  // empty if they can.
  std::string incomparable = {};
  // Its language, as the manifest defines it, or by a name of the catalogue. Neither if that is not
  // known.
  std::optional<SavedLanguage> saved_language = {};
  std::string language_name = {};
  // What is wrong with its manifest; then all of this is what the sweep was planned with.
  std::string damage = {};

  bool IsKnown() const { return !lengths.empty(); }
};

// From the manifest of the dataset; without one, from its strings and labels. If the
// data of the runs is not there any more, from what the sweep was planned with, provided that it
// was made so. `preset` is the recipe of the data of published runs (data/dataset_config.h).
DatasetFacts FactsOf(const Source& source, const std::string& language, const std::string& preset);

}  // namespace flare::report

#endif  // FLARE_REPORT_DATASET_FACTS_H_
