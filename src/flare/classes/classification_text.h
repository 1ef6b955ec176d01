// A classification for people.

#ifndef FLARE_CLASSES_CLASSIFICATION_TEXT_H_
#define FLARE_CLASSES_CLASSIFICATION_TEXT_H_

#include <string>

#include "flare/classes/classification.h"

namespace flare::classes {

std::string ClassificationText(const Classification& classification);

// The classes alone, on three lines.
std::string ClassesText(const Classification& classification);

// One line: "strictly local (k = 2); in AC⁰; monoid of 6 elements".
std::string ShortClassification(const Classification& classification);

}  // namespace flare::classes

#endif  // FLARE_CLASSES_CLASSIFICATION_TEXT_H_
