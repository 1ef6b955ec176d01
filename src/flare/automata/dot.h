// Automata as pictures: the Graphviz language.

#ifndef FLARE_AUTOMATA_DOT_H_
#define FLARE_AUTOMATA_DOT_H_

#include <string>

#include "flare/automata/dfa.h"

namespace flare {

// Left to right, accepting states with a double line, one arrow for all symbols between two states.
std::string FormatDot(const Dfa& dfa, const std::string& title);

}  // namespace flare

#endif  // FLARE_AUTOMATA_DOT_H_
