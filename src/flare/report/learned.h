// The extractions of a study's networks, where flare extract was run: for each language,
// architecture and validation set, that of the run with the lowest validation cross-entropy.

#ifndef FLARE_REPORT_LEARNED_H_
#define FLARE_REPORT_LEARNED_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/automata/dfa.h"
#include "flare/report/run_files.h"
#include "flare/report/select.h"

namespace flare::report {

// Larger automata are not readable as pictures.
inline constexpr std::size_t kMostDrawnStates = 30;

struct Learned {
  const StudyRun* run;
  ExtractionReport report;
  std::optional<Dfa> automaton;  // nothing if it accepts no string, which AT&T text cannot say
};

// Returns what was learned, in the order of the tables.
std::vector<Learned> LearnedOf(const Selection& selection, const std::string& language,
                               RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_LEARNED_H_
