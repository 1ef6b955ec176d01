// Automata as JSON:
//
//   {"states": 2, "start": 0, "accepting": [1],
//    "transitions": [{"from": 0, "symbol": "1", "to": 1}, ...]}

#ifndef FLARE_AUTOMATA_DFA_JSON_H_
#define FLARE_AUTOMATA_DFA_JSON_H_

#include <string>

#include "flare/automata/dfa.h"
#include "flare/base/json.h"

namespace flare {

Json DfaToJson(const Dfa& dfa);

// Throws InputError with `where` if the JSON is not an automaton over this alphabet.
Dfa DfaFromJson(const Json& json, const Alphabet& alphabet, const std::string& where);

}  // namespace flare

#endif  // FLARE_AUTOMATA_DFA_JSON_H_
