// What the catalogues of this program know, for the room that reads and writes their names.

#ifndef FLARE_TRAINING_KNOWN_NAMES_H_
#define FLARE_TRAINING_KNOWN_NAMES_H_

#include "flare/runs/names.h"

namespace flare {

// Made once; the same for the whole program.
const Names& KnownNames();

}  // namespace flare

#endif  // FLARE_TRAINING_KNOWN_NAMES_H_
