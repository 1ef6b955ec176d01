// The sources of languages: a table of the kinds of text that stand for a language, and of how a
// manifest keeps each. A source is a file with its functions and a line in source.cc.

#ifndef FLARE_LANGUAGES_SOURCE_H_
#define FLARE_LANGUAGES_SOURCE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/json.h"
#include "flare/languages/language.h"

namespace flare {

// A language as manifest.json keeps it, to be made again where its file is no longer there.
//
//   {"source": "regex:(ab)*", "class": "R", "definition": "...", "alphabet": ["a", "b"],
//    "automaton": {...}}
//
// Moving a Json throws nothing, whatever clang-tidy finds in the library.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct SavedLanguage {
  std::string text;  // as it was written: a name, regex:…, att:…
  std::string language_class;
  std::string definition;
  std::vector<std::string> alphabet;
  std::string envelope = {};  // the pattern that a user gave; else empty
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

// How a definition is to be read. A source takes the options whose flags its line names.
struct ResolveOptions {
  std::vector<std::string> extra_symbols = {};  // --alphabet: besides those that it mentions
  std::optional<std::string> att_symbols = {};  // --symbols: the file of a symbol table
  bool att_acceptor = false;                    // --att-acceptor: four fields end in a weight
  bool generators = false;                      // --generators: of a group, not all its elements
  std::optional<std::string> mlregtest = {};    // --mlregtest: the folder of its automata
  std::optional<std::string> envelope = {};     // --envelope: a pattern; every source takes one
};

// The language that a user wrote as `text`; `argument` is what follows the prefix. This is what may
// read files and start programs. Throws InputError.
using ParseSource = NamedLanguage(const std::string& text, const std::string& argument,
                                  const ResolveOptions& options);
// The members by which a manifest keeps the language, besides those that all have.
using SaveSource = Json(const NamedLanguage& language);
// The reverse, under LoadLanguage's promise: no file is opened, no program is started.
using LoadSource = NamedLanguage(const SavedLanguage& saved, const std::string& where);

struct LanguageSource {
  std::string_view prefix;  // "regex:"; empty for a name of the catalogue
  std::string_view
      argument;  // what follows it, as help writes it: "PATTERN"; empty if nobody types it
  bool is_name;  // can its texts serve as names of datasets?
  std::vector<std::string_view> options;  // flags of ResolveOptions
  ParseSource* parse;
  SaveSource* save;
  LoadSource* load;  // null if loading takes code that only the user has
};

// The last one has no prefix, and takes what belongs to no other.
std::span<const LanguageSource> Sources();

const LanguageSource& SourceOf(std::string_view text);

// The language that a user means: a name of the catalogue, or a definition that another source
// understands. Throws InputError: an unknown name (with the nearest one), a malformed pattern or
// file, an empty language, an option that the language does not take.
NamedLanguage ResolveLanguage(const std::string& text, const ResolveOptions& options = {});

// Throws InputError if an option says how a text is to be read, where there is none. An envelope
// may go with a language that is known from elsewhere.
void CheckNoReadingOptions(const ResolveOptions& options);

// True for a text such as regex:PATTERN, which cannot also be the name of a dataset.
bool IsDefinition(const std::string& text);

// "regex:PATTERN", "att:FILE", ...
std::vector<std::string> DefinitionForms();
// The prefixes of the sources that take an option: "regex:", "att:" for --alphabet.
std::vector<std::string> SourcesThatTake(std::string_view flag);

}  // namespace flare

#endif  // FLARE_LANGUAGES_SOURCE_H_
