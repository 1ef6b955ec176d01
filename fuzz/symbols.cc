// Symbol tables of AT&T text. One that is accepted is one to one, and can be written and read
// again.

#include <string>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "target.h"

namespace flare {

void FuzzSymbols(std::string_view input) {
  Accepts([&] {
    const SymbolTable table = ParseSymbolTable(input, "symbols");
    FLARE_CHECK(table.name_of.size() == table.number_of.size());
    std::string text;
    for (const auto& [number, name] : table.name_of) {
      FLARE_CHECK(table.number_of.at(name) == number);
      text += name + " " + std::to_string(number) + "\n";
    }
    const SymbolTable again = ParseSymbolTable(text, "");
    FLARE_CHECK(again.name_of == table.name_of && again.number_of == table.number_of);
  });
}

}  // namespace flare
