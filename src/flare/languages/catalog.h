// The built-in languages; the paper's come first, in the order of its Table 1.

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

// Where a language was first used as a benchmark.
enum class Origin { kPaper };

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

// Null if there is no such language.
const CatalogEntry* FindInCatalog(std::string_view name);

}  // namespace flare

#endif  // FLARE_LANGUAGES_CATALOG_H_
