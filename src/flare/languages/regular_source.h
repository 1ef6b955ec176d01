// Functions that all sources of automata share.

#ifndef FLARE_LANGUAGES_REGULAR_SOURCE_H_
#define FLARE_LANGUAGES_REGULAR_SOURCE_H_

#include <string>

#include "flare/automata/dfa.h"
#include "flare/languages/source.h"

namespace flare {

// The language of an automaton. Throws InputError with `where` if it is empty.
NamedLanguage FromAutomaton(const Dfa& dfa, const std::string& text, const std::string& definition,
                            const std::string& where);

SaveSource SaveAutomaton;
LoadSource LoadAutomaton;

}  // namespace flare

#endif  // FLARE_LANGUAGES_REGULAR_SOURCE_H_
