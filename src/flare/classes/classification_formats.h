// A classification for people, and as JSON:
//
//   {"states": 2, "sink": null, "tier": ["1"],
//    "monoid": {"size": 2, "complete": true, "limit": null, …},
//    "circuit_class": "ACC0",
//    "properties": {"star_free": {"holds": false, "k": null, "witness": {…}}, …},
//    "predictions": [{"architecture": "transformer", "verdict": "excluded", …}, …]}
//
// A witness is {"claim": …, "words": {"u": "1"}, "moves": [{"word": "u", "from": 0, "to": 1}]}. The
// properties c_rasp and c_rasp_last have another member, the potentials of counting.h:
//
//   "certificate": {"parts": [{"before": null, "components": [{"states": [0, 1],
//                                                              "rounds": [[[0, 1]]]}]}],
//                   "alike": null}
//
// A part with "before": "a" is about the automaton of {w : wa is in the language}.

#ifndef FLARE_CLASSES_CLASSIFICATION_FORMATS_H_
#define FLARE_CLASSES_CLASSIFICATION_FORMATS_H_

#include <string>

#include "flare/base/json.h"
#include "flare/classes/classification.h"

namespace flare::classes {

Json ClassificationToJson(const Classification& classification);

std::string ClassificationText(const Classification& classification);

// The classes alone, on three lines.
std::string ClassesText(const Classification& classification);

// One line: "strictly local (k = 2); in AC⁰; monoid of 6 elements".
std::string ShortClassification(const Classification& classification);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_CLASSIFICATION_FORMATS_H_
