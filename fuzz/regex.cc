// regex: patterns. One that is accepted gives an automaton that can be written as AT&T text and
// read again.

#include <string>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/languages/source.h"
#include "target.h"

namespace flare {

void FuzzRegex(std::string_view pattern) {
  Accepts([&] {
    const NamedLanguage language = ResolveLanguage("regex:" + std::string(pattern));
    const Dfa& dfa = *language.language->dfa();
    const std::string text = FormatAtt(dfa);
    FLARE_CHECK(ParseAtt(text, "", {.extra_symbols = dfa.alphabet().names()}) == dfa);
  });
}

}  // namespace flare
