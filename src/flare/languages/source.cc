#include "flare/languages/source.h"

#include <algorithm>
#include <vector>

namespace flare {

// Each is defined in the file of its source; the automaton's, which several share, in
// regular_source.cc.
ParseSource ParseRegexSource, ParseAttSource, ParseCfgSource, ParsePythonName, ParseCatalogName;
SaveSource SaveAutomaton, SaveGrammar, SavePythonName, SaveCatalogName;
LoadSource LoadAutomaton, LoadGrammar, LoadCatalogName;

std::span<const LanguageSource> Sources() {
  static const std::vector<LanguageSource> sources = {
      {"regex:", "PATTERN", {"--alphabet"}, ParseRegexSource, SaveAutomaton, LoadAutomaton},
      {"att:",
       "FILE",
       {"--alphabet", "--symbols", "--att-acceptor"},
       ParseAttSource,
       SaveAutomaton,
       LoadAutomaton},
      {"cfg:", "FILE", {"--alphabet"}, ParseCfgSource, SaveGrammar, LoadGrammar},
      // Of the Python module's users: this program knows the datasets, not the language.
      {"python:", "CLASS", {}, ParsePythonName, SavePythonName, nullptr},
      {"", "NAME", {}, ParseCatalogName, SaveCatalogName, LoadCatalogName},
  };
  return sources;
}

const LanguageSource& SourceOf(std::string_view text) {
  const auto sources = Sources();
  return *std::find_if(sources.begin(), sources.end(), [&](const LanguageSource& source) {
    return text.starts_with(source.prefix);
  });
}

}  // namespace flare
