// How well an automaton stands for a network: how often they agree on fresh strings, and
// what follows for the network's error.

#ifndef FLARE_EXTRACTION_FIDELITY_H_
#define FLARE_EXTRACTION_FIDELITY_H_

#include <cstddef>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/extraction/difference.h"
#include "flare/extraction/extraction_report.h"
#include "flare/extraction/network_answers.h"
#include "flare/extraction/strings.h"

namespace flare {

// Ranges of lengths to measure on: to half of `max_length`, to all of it, to twice as long, and to
// `longest`; those that are not empty.
std::vector<LengthRange> FidelityRanges(std::size_t max_length, std::size_t longest);

// The interval of a share of which `agree` of `strings` were seen, by Wilson's score at 95 %.
// Requires: a string.
struct ShareInterval {
  double low, high;
};
ShareInterval WilsonInterval(std::size_t agree, std::size_t strings);

// On each range, members and non-members of a known target, else any strings; nothing for a kind of
// which a range has none. `difference` is the automaton's difference from a regular target, or
// null.
std::vector<Fidelity> MeasureFidelity(const Dfa& automaton, NetworkAnswers& network,
                                      const ExtractionTarget& target,
                                      const std::vector<LengthRange>& ranges,
                                      const LanguageDifference* difference);

}  // namespace flare

#endif  // FLARE_EXTRACTION_FIDELITY_H_
