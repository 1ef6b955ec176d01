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
  // A pattern of the strings that have the format of members, as in the catalogue; empty where
  // none is known (envelope.h finds one).
  std::string envelope = {};
  bool envelope_is_given = false;  // by a user, in place of the catalogue's or where there is none
  std::unique_ptr<const Language> language;

  // The language as a regular one, or null.
  const RegularLanguage* regular() const {
    return dynamic_cast<const RegularLanguage*>(language.get());
  }
};

}  // namespace flare

#endif  // FLARE_LANGUAGES_NAMED_LANGUAGE_H_
