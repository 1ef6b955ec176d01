#include "flare/languages/saved_language.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/envelope.h"
#include "flare/languages/source.h"

namespace flare {

bool SavedLanguage::IsDefinedByContents() const {
  return std::any_of(contents.begin(), contents.end(),
                     [](const Json& member) { return !member.is_null(); });
}

bool SavedLanguage::IsLoadable() const { return SourceOf(text).load != nullptr; }

SavedLanguage SaveLanguage(const NamedLanguage& language) {
  return {.text = language.name,
          .language_class = ShortName(language.language_class),
          .definition = language.definition,
          .alphabet = language.language->alphabet().names(),
          .envelope = language.envelope_is_given ? language.envelope : "",
          .contents = SourceOf(language.name).save(language)};
}

NamedLanguage LoadLanguage(const SavedLanguage& saved, const std::string& where) {
  if (!saved.IsLoadable()) {
    throw InputError(
        where,
        fmt::format("{} cannot be made from a manifest: no code is run because a file names it",
                    Quoted(saved.text)),
        "name the program with --language, if you trust it");
  }
  NamedLanguage language = SourceOf(saved.text).load(saved, where);
  if (!saved.envelope.empty()) GiveEnvelope(saved.envelope, where + ": envelope", language);
  return language;
}

Json ToJson(const SavedLanguage& saved) {
  Json json = {{"source", saved.text},
               {"class", saved.language_class},
               {"definition", saved.definition},
               {"alphabet", saved.alphabet}};
  if (!saved.envelope.empty()) json["envelope"] = saved.envelope;
  json.update(saved.contents);
  return json;
}

SavedLanguage SavedLanguageFromJson(const Json& json) {
  SavedLanguage saved{.text = json.at("source"),
                      .language_class = json.at("class"),
                      .definition = json.at("definition"),
                      .alphabet = json.at("alphabet").get<std::vector<std::string>>()};
  saved.envelope = json.value("envelope", "");
  saved.contents = json;
  for (const char* common : {"source", "class", "definition", "alphabet", "envelope"}) {
    saved.contents.erase(common);
  }
  return saved;
}

}  // namespace flare
