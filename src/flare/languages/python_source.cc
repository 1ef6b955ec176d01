// A language that is defined in Python, where the module flarelang calls it.

#include "flare/base/error.h"
#include "flare/languages/source.h"

namespace flare {

NamedLanguage ParsePythonName(const std::string& text, const std::string&, const ResolveOptions&) {
  throw InputError(text, "is defined in Python", "fl.generate makes its datasets there");
}

// The definition tells one code from another.
Json SavePythonName(const NamedLanguage& language) { return {{"python", language.identity}}; }

}  // namespace flare
