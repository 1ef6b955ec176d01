// How well an automaton stands for a network: how often both give the same answer to fresh strings,
// and how often each of them is wrong. Such numbers hold for one law of strings. So they are
// measured on the dataset's law, by which the network is tested, and on uniform strings, side by
// side.

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

// The ranges of lengths to measure on. They end at half of `max_length`, at `max_length`, at twice
// that, and at `longest`; empty ranges are left out.
std::vector<LengthRange> FidelityRanges(std::size_t max_length, std::size_t longest);

// Wilson's 95 % score interval for a share of which `agree` of `strings` draws were seen. Requires:
// at least one string.
struct ShareInterval {
  double low, high;
};
ShareInterval WilsonInterval(std::size_t agree, std::size_t strings);

// Measures on each range of lengths: on members, negatives and uniform strings if the target is
// known, else on uniform strings. A kind of which a range has no string has no row. `difference` is
// the automaton's exact difference from the target, or null.
std::vector<Fidelity> MeasureFidelity(const Dfa& automaton, NetworkAnswers& network,
                                      const ExtractionTarget& target,
                                      const std::vector<LengthRange>& ranges,
                                      const LanguageDifference* difference);

}  // namespace flare

#endif  // FLARE_EXTRACTION_FIDELITY_H_
