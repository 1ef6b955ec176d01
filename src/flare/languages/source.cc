#include "flare/languages/source.h"

#include <algorithm>
#include <vector>

namespace flare {

// Each is defined in the file of its source; the automaton's, which several share, in
// regular_source.cc.
ParseSource ParseRegexSource, ParseAttSource, ParseCfgSource, ParseGroupSource, ParseRandomSource,
    ParseSmallSource, ParseMlregtestSource, ParseCommandSource, ParseCombineSource, ParsePythonName,
    ParseCatalogName;
SaveSource SaveAutomaton, SaveGrammar, SaveGroup, SaveRandom, SaveSmall, SaveCommand,
    SavePythonName, SaveCatalogName;
LoadSource LoadAutomaton, LoadGrammar, LoadGroup, LoadRandom, LoadSmall, LoadCatalogName;

std::span<const LanguageSource> Sources() {
  static const std::vector<LanguageSource> sources = {
      {"regex:", "PATTERN", false, {"--alphabet"}, ParseRegexSource, SaveAutomaton, LoadAutomaton},
      {"att:",
       "FILE",
       false,
       {"--alphabet", "--symbols", "--att-acceptor"},
       ParseAttSource,
       SaveAutomaton,
       LoadAutomaton},
      {"cfg:", "FILE", false, {"--alphabet"}, ParseCfgSource, SaveGrammar, LoadGrammar},
      {"command:", "FILE", false, {}, ParseCommandSource, SaveCommand, nullptr},
      {"group:", "GROUP", true, {"--generators"}, ParseGroupSource, SaveGroup, LoadGroup},
      {"random:", "SETTINGS", true, {}, ParseRandomSource, SaveRandom, LoadRandom},
      {"small:", "K:I", true, {}, ParseSmallSource, SaveSmall, LoadSmall},
      {"mlregtest:",
       "NAME",
       true,
       {"--mlregtest", "--symbols", "--att-acceptor"},
       ParseMlregtestSource,
       SaveAutomaton,
       LoadAutomaton},
      {"combine:",
       "EXPRESSION",
       false,
       {"--alphabet"},
       ParseCombineSource,
       SaveAutomaton,
       LoadAutomaton},
      // For users of the Python module: this program knows the datasets, not the language.
      {"python:", "", false, {}, ParsePythonName, SavePythonName, nullptr},
      {"", "NAME", true, {}, ParseCatalogName, SaveCatalogName, LoadCatalogName},
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
