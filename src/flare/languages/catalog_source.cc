// A name of the catalogue, or of a family.

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/catalog.h"
#include "flare/languages/families.h"
#include "flare/languages/resolve.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

NamedLanguage Find(const std::string& name, const std::string& where) {
  if (const CatalogEntry* entry = FindInCatalog(name)) {
    return {.name = entry->name,
            .language_class = entry->language_class,
            .definition = entry->definition,
            .identity = entry->name,
            .envelope = entry->envelope,
            .language = entry->make()};
  }
  if (auto language = FindInFamilies(name)) return std::move(*language);
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) names.push_back(entry.name);
  const auto nearest = Nearest(name, names);
  throw InputError(where, fmt::format("unknown language {}", Quoted(name)),
                   nearest ? fmt::format("did you mean {}?", *nearest)
                           : fmt::format("'flare languages' lists them; {} define one",
                                         Listed(DefinitionForms(), "and")));
}

}  // namespace

NamedLanguage ParseCatalogName(const std::string& text, const std::string&, const ResolveOptions&) {
  return Find(text, "");
}

// Every manifest of version 0.1 has the member.
Json SaveCatalogName(const NamedLanguage&) { return {{"automaton", nullptr}}; }

NamedLanguage LoadCatalogName(const SavedLanguage& saved, const std::string& where) {
  NamedLanguage language = Find(saved.text, where);
  if (saved.IsDefinedByContents()) {
    throw InputError(where, fmt::format("{} is built in, but is also defined here", saved.text));
  }
  if (!(language.language->alphabet() == Alphabet(saved.alphabet))) {
    throw InputError(where, fmt::format("alphabet: is not that of {}", saved.text));
  }
  return language;
}

}  // namespace flare
