// Balanced brackets of K types, (0 )0 (1 )1 …, nested at most D deep.

#ifndef FLARE_LANGUAGES_DYCK_H_
#define FLARE_LANGUAGES_DYCK_H_

#include <cstddef>

#include "flare/automata/dfa.h"

namespace flare {

// A state is the stack of open brackets: 1 + K + K² + … + K^D of them.
Dfa BoundedDyck(std::size_t types, std::size_t deepest);

}  // namespace flare

#endif  // FLARE_LANGUAGES_DYCK_H_
