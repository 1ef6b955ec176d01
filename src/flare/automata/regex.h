// From a pattern to its automaton.
//
//   const Dfa dfa = CompileRegex("(01)*&~(.*0101.*)");
//
// regex_syntax.h has the syntax.

#ifndef FLARE_AUTOMATA_REGEX_H_
#define FLARE_AUTOMATA_REGEX_H_

#include <string>
#include <string_view>
#include <vector>

#include "flare/automata/dfa.h"

namespace flare {

// The minimal trim DFA of the pattern. Its alphabet Σ is what the pattern mentions and
// `extra_symbols`; `.`, `[^…]` and `~` are relative to it. Throws InputError if the pattern is
// malformed (with the position), if Σ is empty, or if the automaton would be too large.
Dfa CompileRegex(std::string_view pattern, const std::vector<std::string>& extra_symbols = {});

}  // namespace flare

#endif  // FLARE_AUTOMATA_REGEX_H_
