// The built-in languages; the paper's come first, in the order of its Table 1. families.h has those
// that are named with numbers.

#ifndef FLARE_LANGUAGES_CATALOG_H_
#define FLARE_LANGUAGES_CATALOG_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/languages/language.h"

namespace flare {

using LanguageFactory = std::unique_ptr<Language>();

// The source of a language; the catalogue is in this order.
enum class Origin { kPaper, kTomita, kExpressivity, kCountersAndStacks };

// "the paper", "Tomita (1982)", ...
std::string Title(Origin origin);

struct CatalogEntry {
  std::string name;   // also the name of its directory in published data
  std::string title;  // as tables write it; the paper's as its own do
  Origin origin;
  LanguageClass language_class;
  std::string definition;  // one line
  std::string example;     // a member
  // A regular superset that knows the shape of the strings and nothing of what they compute: how
  // far one gets by format alone (`flare baselines`). A pattern over the language's alphabet.
  std::string envelope;
  LanguageFactory* make;
};

std::span<const CatalogEntry> Catalog();

// The names of the paper's languages, to which its experiments and its values belong.
std::vector<std::string> PaperLanguages();

// Is there published data of this name, so that a directory without a manifest says what it is
// about? Other names may be anybody's data.
bool IsPublished(std::string_view name);

// Null if there is no such language.
const CatalogEntry* FindInCatalog(std::string_view name);

// The names of the paper's languages belong to them: whatever has one of them is compared with the
// paper's values. Throws InputError with `where` if `name` is one of the paper's and the language
// is a different one, or cannot be shown to be the same: that is decided for regular languages.
void CheckPaperName(const std::string& name, const NamedLanguage& language,
                    const std::string& where);

}  // namespace flare

#endif  // FLARE_LANGUAGES_CATALOG_H_
