// Automata as AT&T text; after a line `%%`, if there is one, their symbol table. What is accepted
// is written and read again as the same automaton.

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "target.h"

namespace flare {
namespace {

void Read(std::string_view text, const AttOptions& options) {
  Accepts([&] {
    const Dfa dfa = ParseAtt(text, "automaton", options);
    const std::string written = FormatAtt(dfa);
    if (written.empty()) return;  // the empty language has no text
    FLARE_CHECK(ParseAtt(written, "", {.extra_symbols = dfa.alphabet().names()}) == dfa);
    const SymbolTable table = ParseSymbolTable(FormatSymbolTable(dfa.alphabet()), "");
    FLARE_CHECK(ParseAtt(written, "", {.symbols = table}) == dfa);
  });
}

}  // namespace

void FuzzAtt(std::string_view input) {
  constexpr std::string_view kSeparator = "%%\n";
  const std::size_t separator = input.find(kSeparator);
  const std::string_view text = input.substr(0, separator);
  AttOptions options;
  if (separator != std::string_view::npos) {
    const bool good = Accepts([&] {
      options.symbols = ParseSymbolTable(input.substr(separator + kSeparator.size()), "symbols");
    });
    if (!good) return;
  }
  Read(text, options);
  options.acceptor = true;
  options.extra_symbols = {"a", "0"};
  Read(text, options);
}

}  // namespace flare
