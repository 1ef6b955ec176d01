#include "flare/languages/saved_language.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/source.h"

namespace flare {

bool SavedLanguage::IsDefinedByContents() const {
  return std::any_of(contents.begin(), contents.end(),
                     [](const Json& member) { return !member.is_null(); });
}

SavedLanguage SaveLanguage(const NamedLanguage& language) {
  return {.text = language.name,
          .language_class = ShortName(language.language_class),
          .definition = language.definition,
          .alphabet = language.language->alphabet().names(),
          .contents = SourceOf(language.name).save(language)};
}

NamedLanguage LoadLanguage(const SavedLanguage& saved, const std::string& where) {
  const LanguageSource& source = SourceOf(saved.text);
  if (source.load != nullptr) return source.load(saved, where);
  throw InputError(where, fmt::format("{} cannot be made from a manifest", Quoted(saved.text)),
                   "only the code that defines it knows the language");
}

Json ToJson(const SavedLanguage& saved) {
  Json json = {{"source", saved.text},
               {"class", saved.language_class},
               {"definition", saved.definition},
               {"alphabet", saved.alphabet}};
  json.update(saved.contents);
  return json;
}

SavedLanguage SavedLanguageFromJson(const Json& json) {
  SavedLanguage saved{.text = json.at("source"),
                      .language_class = json.at("class"),
                      .definition = json.at("definition"),
                      .alphabet = json.at("alphabet").get<std::vector<std::string>>()};
  saved.contents = json;
  for (const char* common : {"source", "class", "definition", "alphabet"}) {
    saved.contents.erase(common);
  }
  return saved;
}

}  // namespace flare
