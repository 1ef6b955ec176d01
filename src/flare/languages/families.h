// Families of languages whose names have numbers in them, as dyck-3-4.

#ifndef FLARE_LANGUAGES_FAMILIES_H_
#define FLARE_LANGUAGES_FAMILIES_H_

#include <optional>
#include <span>
#include <string>

#include "flare/automata/dfa.h"
#include "flare/languages/language.h"

namespace flare {

struct LanguageFamily {
  std::string form;        // "dyck-K-D"
  std::string definition;  // one line
  std::string example;     // a name
  // The language of that name; nothing if it is not of this form. Throws InputError if it is too
  // large.
  std::optional<NamedLanguage> (*find)(const std::string& name);
};

std::span<const LanguageFamily> LanguageFamilies();

// Returns nothing if no family has such a name. Throws InputError.
std::optional<NamedLanguage> FindInFamilies(const std::string& name);

}  // namespace flare

#endif  // FLARE_LANGUAGES_FAMILIES_H_
