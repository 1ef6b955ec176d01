// Next-symbol sets as text, in the bytes of the published `next-symbols.jsonl`:
//
//   [{"s":"0 1","e":false},{"s":"0 1","e":true}]
//
// one object per prefix: `s` the symbols in code point order, `e` whether EOS is among them.

#ifndef FLARE_DATA_NEXT_SYMBOLS_JSON_H_
#define FLARE_DATA_NEXT_SYMBOLS_JSON_H_

#include <string>

#include "flare/automata/alphabet.h"
#include "flare/automata/next_symbols.h"

namespace flare {

// Appends one line, without its newline. Characters outside ASCII are escaped as \uXXXX.
void AppendNextSymbolsJson(const Alphabet& alphabet, const NextSymbolSets& sets, std::string& out);

}  // namespace flare

#endif  // FLARE_DATA_NEXT_SYMBOLS_JSON_H_
