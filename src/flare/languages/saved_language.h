// A language as manifest.json keeps it, to be made again where its file is no longer there.
//
//   {"source": "regex:(ab)*", "class": "R", "definition": "...", "alphabet": ["a", "b"],
//    "automaton": {...}}

#ifndef FLARE_LANGUAGES_SAVED_LANGUAGE_H_
#define FLARE_LANGUAGES_SAVED_LANGUAGE_H_

#include <string>
#include <vector>

#include "flare/base/json.h"
#include "flare/languages/named_language.h"

namespace flare {

// Moving a Json throws nothing, whatever clang-tidy finds in the library.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct SavedLanguage {
  std::string text;  // as it was written: a name, regex:…, att:…
  std::string language_class;
  std::string definition;
  std::vector<std::string> alphabet;
  std::string envelope = {};  // that a user gave; else empty
  // What its source needs to make it again: members in addition to those above.
  Json contents = Json::object();

  // Do the contents define the language, so that the text says only where it came from?
  bool IsDefinedByContents() const;
  // Can it be made again from what was saved? Not if that takes code that a user has.
  bool IsLoadable() const;
};

SavedLanguage SaveLanguage(const NamedLanguage& language);

// The language again, from what was saved alone: no file that it names is opened and no program is
// started, as a manifest may come from anyone. `where` is the manifest. Throws InputError.
NamedLanguage LoadLanguage(const SavedLanguage& saved, const std::string& where);

Json ToJson(const SavedLanguage& saved);
// Throws Json::exception if it is not one.
SavedLanguage SavedLanguageFromJson(const Json& json);

}  // namespace flare

#endif  // FLARE_LANGUAGES_SAVED_LANGUAGE_H_
