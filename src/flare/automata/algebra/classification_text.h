// A classification for people.

#ifndef FLARE_AUTOMATA_ALGEBRA_CLASSIFICATION_TEXT_H_
#define FLARE_AUTOMATA_ALGEBRA_CLASSIFICATION_TEXT_H_

#include <span>
#include <string>

#include "flare/automata/algebra/classification.h"
#include "flare/automata/algebra/predictions.h"

namespace flare::algebra {

std::string ClassificationText(const Classification& classification,
                               std::span<const Prediction> predictions);

// One line: "strictly local (k = 2); in AC⁰; monoid of 6 elements".
std::string ShortClassification(const Classification& classification);

}  // namespace flare::algebra

#endif  // FLARE_AUTOMATA_ALGEBRA_CLASSIFICATION_TEXT_H_
