// A classification as JSON:
//
//   {"states": 2, "sink": null, "tier": ["1"],
//    "monoid": {"size": 2, "complete": true, "limit": null, …},
//    "circuit_class": "ACC0",
//    "properties": {"star_free": {"holds": false, "k": null, "witness": {…}}, …},
//    "predictions": [{"architecture": "transformer", "verdict": "excluded", …}, …]}
//
// A witness is {"claim": …, "words": {"u": "1"}, "moves": [{"word": "u", "from": 0, "to": 1}]}.

#ifndef FLARE_AUTOMATA_ALGEBRA_CLASSIFICATION_JSON_H_
#define FLARE_AUTOMATA_ALGEBRA_CLASSIFICATION_JSON_H_

#include <span>

#include "flare/automata/algebra/classification.h"
#include "flare/automata/algebra/predictions.h"
#include "flare/base/json.h"

namespace flare::algebra {

Json ClassificationToJson(const Classification& classification,
                          std::span<const Prediction> predictions);

}  // namespace flare::algebra

#endif  // FLARE_AUTOMATA_ALGEBRA_CLASSIFICATION_JSON_H_
