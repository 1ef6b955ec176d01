// Where languages come from: a table of the kinds of text that stand for one, and of how a manifest
// keeps each. A source is a file with its functions and a line in source.cc; resolve.h and
// saved_language.h are how the other rooms use them.

#ifndef FLARE_LANGUAGES_SOURCE_H_
#define FLARE_LANGUAGES_SOURCE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/json.h"
#include "flare/languages/named_language.h"
#include "flare/languages/saved_language.h"

namespace flare {

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
  bool is_name;  // can its texts be names of datasets as they are?
  std::vector<std::string_view> options;  // flags of ResolveOptions
  ParseSource* parse;
  SaveSource* save;
  LoadSource* load;  // null if it takes code that a user has
};

// The last one has no prefix, and takes what belongs to no other.
std::span<const LanguageSource> Sources();

const LanguageSource& SourceOf(std::string_view text);

}  // namespace flare

#endif  // FLARE_LANGUAGES_SOURCE_H_
