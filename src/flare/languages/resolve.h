// What a user may write for a language: a name of the catalogue, `regex:PATTERN` or `att:FILE`.

#ifndef FLARE_LANGUAGES_RESOLVE_H_
#define FLARE_LANGUAGES_RESOLVE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flare/languages/language.h"
#include "flare/languages/regular.h"

namespace flare {

// How `regex:` and `att:` are to be read; a name of the catalogue takes none of these.
struct ResolveOptions {
  std::vector<std::string> extra_symbols = {};  // in addition to those that the definition mentions
  std::optional<std::string> att_symbols = {};  // the file of a symbol table
  bool att_acceptor = false;                    // four fields end in a weight (att.h)
};

struct NamedLanguage {
  std::string name;
  LanguageClass language_class;
  std::string definition;
  // Names the language itself, for random streams: the name of a built-in one; for others a hash of
  // the alphabet and the minimal automaton, however they were written.
  std::string identity;
  std::string envelope;  // as in the catalogue; empty for regex: and att: languages
  std::unique_ptr<const Language> language;

  // The language as a regular one, or null.
  const RegularLanguage* regular() const {
    return dynamic_cast<const RegularLanguage*>(language.get());
  }
};

// Throws InputError: an unknown name (with the nearest one), a malformed pattern or file, an empty
// language, an option that the language does not take.
NamedLanguage ResolveLanguage(const std::string& text, const ResolveOptions& options = {});

// True for regex: and att: languages, whose text is no name.
bool IsDefinition(const std::string& text);

}  // namespace flare

#endif  // FLARE_LANGUAGES_RESOLVE_H_
