// Automata as text: AT&T text for OpenFst, JSON, and Graphviz's language.

#ifndef FLARE_AUTOMATA_TEXT_FORMATS_H_
#define FLARE_AUTOMATA_TEXT_FORMATS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/automata/alphabet.h"
#include "flare/automata/dfa.h"
#include "flare/base/json.h"

namespace flare {

// AT&T text, the exchange format of OpenFst, has one transition or final state per line:
//
//   0  1  a  a        from state 0 to state 1 over a (input and output label, which must be equal)
//   1                 state 1 is final
//
// Fields are separated by tabs or spaces. The source of the first line is the start state, whatever
// its number. docs/reference/regular-languages.md has the details.

// A symbol table: `name number` per line. Number 0 is ε, whatever its name.
struct SymbolTable {
  std::map<std::string, std::uint64_t, std::less<>> number_of;
  std::map<std::uint64_t, std::string> name_of;
};

struct AttOptions {
  // Without a table, labels are the names of symbols as they are. With one, they are names of the
  // table if all of them are, else numbers of it; its symbols, used or not, are the alphabet.
  std::optional<SymbolTable> symbols = {};
  // Four fields are `source target label weight` and not `source target input output`. Implied if
  // the file has a transition of three fields.
  bool acceptor = false;
  std::vector<std::string> extra_symbols = {};
};

// The minimal trim DFA of the automaton, which may be nondeterministic and have ε-transitions.
// Weights do not matter, but `Infinity` means that the transition or final state is not there.
// Throws InputError naming file and line.
Dfa ParseAtt(std::string_view text, const std::string& file, const AttOptions& options);
SymbolTable ParseSymbolTable(std::string_view text, const std::string& file);

// Four fields per transition; read identically by `fstcompile --isymbols=T --osymbols=T` with the
// table T of FormatSymbolTable. Throws InputError if a symbol's name would be read as ε.
std::string FormatAtt(const Dfa& dfa);
std::string FormatSymbolTable(const Alphabet& alphabet);

// Automata as JSON:
//
//   {"states": 2, "start": 0, "accepting": [1],
//    "transitions": [{"from": 0, "symbol": "1", "to": 1}, ...]}
Json DfaToJson(const Dfa& dfa);

// Throws InputError with `where` if the JSON is not an automaton over this alphabet.
Dfa DfaFromJson(const Json& json, const Alphabet& alphabet, const std::string& where);

// A picture in Graphviz's language: left to right, accepting states with a double line, one arrow
// for all symbols between two states.
std::string FormatDot(const Dfa& dfa, const std::string& title);

}  // namespace flare

#endif  // FLARE_AUTOMATA_TEXT_FORMATS_H_
