// A language with what is said about it: what a name, a definition or a manifest stands for.

#ifndef FLARE_LANGUAGES_NAMED_LANGUAGE_H_
#define FLARE_LANGUAGES_NAMED_LANGUAGE_H_

#include <memory>
#include <string>

#include "flare/languages/language.h"
#include "flare/languages/regular.h"

namespace flare {

struct NamedLanguage {
  std::string name;  // as it was written
  LanguageClass language_class;
  std::string definition;
  // Names the language itself, for random streams: the name of a built-in one; for others a hash of
  // what they are, however they were written.
  std::string identity;
  std::string envelope = {};  // as in the catalogue; empty for languages of one's own
  std::unique_ptr<const Language> language;

  // The language as a regular one, or null.
  const RegularLanguage* regular() const {
    return dynamic_cast<const RegularLanguage*>(language.get());
  }
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_NAMED_LANGUAGE_H_
