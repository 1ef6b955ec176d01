// regex:PATTERN

#include "flare/automata/regex.h"
#include "flare/languages/regular_source.h"

namespace flare {

NamedLanguage ParseRegexSource(const std::string& text, const std::string& pattern,
                               const ResolveOptions& options) {
  return FromAutomaton(CompileRegex(pattern, options.extra_symbols), text,
                       "the strings that match " + pattern, text);
}

}  // namespace flare
