// What a report must know about the data of a language: how long the strings of its splits are, and
// whether it is the paper's.

#ifndef FLARE_REPORT_DATASET_FACTS_H_
#define FLARE_REPORT_DATASET_FACTS_H_

#include <map>
#include <string>

#include "flare/automata/symbol.h"
#include "flare/report/source.h"

namespace flare::report {

struct DatasetFacts {
  std::map<std::string, LengthRange> lengths;  // of the splits for which they are known
  // Why it is not a dataset of the paper's, as "test has lengths up to 60, not 500"; empty if it
  // is.
  std::string not_papers;
};

// From the manifest of the dataset; without one, from its strings and labels. If the data of the
// runs is no longer there, from what the sweep was planned with.
DatasetFacts FactsOf(const Source& source, const std::string& language);

}  // namespace flare::report

#endif  // FLARE_REPORT_DATASET_FACTS_H_
