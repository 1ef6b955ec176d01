// att:FILE

#include "flare/automata/text_formats.h"
#include "flare/base/file.h"
#include "flare/languages/regular_source.h"

namespace flare {

NamedLanguage ParseAttSource(const std::string& text, const std::string& file,
                             const ResolveOptions& options) {
  AttOptions att{.acceptor = options.att_acceptor, .extra_symbols = options.extra_symbols};
  if (options.att_symbols) {
    att.symbols = ParseSymbolTable(ReadFile(*options.att_symbols), *options.att_symbols);
  }
  return FromAutomaton(ParseAtt(ReadFile(file), file, att), text,
                       "the strings that the automaton accepts", text);
}

}  // namespace flare
