// What a user may write for a language: a name of the catalogue, or a definition that another
// source (source.h) understands.

#ifndef FLARE_LANGUAGES_RESOLVE_H_
#define FLARE_LANGUAGES_RESOLVE_H_

#include <string>
#include <string_view>
#include <vector>

#include "flare/languages/named_language.h"
#include "flare/languages/source.h"

namespace flare {

// Throws InputError: an unknown name (with the nearest one), a malformed pattern or file, an empty
// language, an option that the language does not take.
NamedLanguage ResolveLanguage(const std::string& text, const ResolveOptions& options = {});

// Throws InputError if an option says how a text is to be read, where there is none. An envelope
// may go with a language that is known from elsewhere.
void CheckNoneSaysHowToRead(const ResolveOptions& options);

// True for what cannot be the name of a dataset too, as regex:PATTERN.
bool IsDefinition(const std::string& text);

// "regex:PATTERN", "att:FILE", ...
std::vector<std::string> DefinitionForms();
// The prefixes of the sources that take an option: "regex:", "att:" for --alphabet.
std::vector<std::string> SourcesThatTake(std::string_view flag);

}  // namespace flare

#endif  // FLARE_LANGUAGES_RESOLVE_H_
