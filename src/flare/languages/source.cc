#include "flare/languages/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/envelope.h"

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

// Each is defined in the file of its source; those whose languages are automata in
// regular_source.cc.
ParseSource ParseRegexSource, ParseAttSource, ParseCfgSource, ParseGroupSource, ParseRandomSource,
    ParseSmallSource, ParseMlregtestSource, ParseCommandSource, ParseCombineSource, ParsePythonName,
    ParseCatalogName;
SaveSource SaveAutomaton, SaveGrammar, SaveGroup, SaveRandom, SaveSmall, SaveCommand,
    SavePythonName, SaveCatalogName;
LoadSource LoadAutomaton, LoadGrammar, LoadGroup, LoadRandom, LoadSmall, LoadCatalogName;

std::span<const LanguageSource> Sources() {
  static const std::vector<LanguageSource> sources = {
      {"regex:", "PATTERN", false, {"--alphabet"}, ParseRegexSource, SaveAutomaton, LoadAutomaton},
      {"att:",
       "FILE",
       false,
       {"--alphabet", "--symbols", "--att-acceptor"},
       ParseAttSource,
       SaveAutomaton,
       LoadAutomaton},
      {"cfg:", "FILE", false, {"--alphabet"}, ParseCfgSource, SaveGrammar, LoadGrammar},
      {"command:", "FILE", false, {}, ParseCommandSource, SaveCommand, nullptr},
      {"group:", "GROUP", true, {"--generators"}, ParseGroupSource, SaveGroup, LoadGroup},
      {"random:", "SETTINGS", true, {}, ParseRandomSource, SaveRandom, LoadRandom},
      {"small:", "K:I", true, {}, ParseSmallSource, SaveSmall, LoadSmall},
      {"mlregtest:",
       "NAME",
       true,
       {"--mlregtest", "--symbols", "--att-acceptor"},
       ParseMlregtestSource,
       SaveAutomaton,
       LoadAutomaton},
      {"combine:",
       "EXPRESSION",
       false,
       {"--alphabet"},
       ParseCombineSource,
       SaveAutomaton,
       LoadAutomaton},
      // Datasets that the Python module made of a user's class name this source: the program reads
      // them, but does not know the language.
      {"python:", "", false, {}, ParsePythonName, SavePythonName, nullptr},
      {"", "NAME", true, {}, ParseCatalogName, SaveCatalogName, LoadCatalogName},
  };
  return sources;
}

const LanguageSource& SourceOf(std::string_view text) {
  const auto sources = Sources();
  return *std::find_if(sources.begin(), sources.end(), [&](const LanguageSource& source) {
    return text.starts_with(source.prefix);
  });
}

namespace {

bool Takes(const LanguageSource& source, std::string_view flag) {
  return std::find(source.options.begin(), source.options.end(), flag) != source.options.end();
}

std::vector<std::string_view> GivenOptions(const ResolveOptions& options) {
  std::vector<std::string_view> given;
  if (!options.extra_symbols.empty()) given.push_back("--alphabet");
  if (options.att_symbols) given.push_back("--symbols");
  if (options.att_acceptor) given.push_back("--att-acceptor");
  if (options.generators) given.push_back("--generators");
  if (options.mlregtest) given.push_back("--mlregtest");
  return given;
}

}  // namespace

void CheckNoReadingOptions(const ResolveOptions& options) {
  auto given = GivenOptions(options);
  std::erase(given, "--mlregtest");  // it only says where files are
  if (given.empty()) return;
  throw InputError(
      "", fmt::format("{} says how --language is to be read, which is not given", given.front()));
}

NamedLanguage ResolveLanguage(const std::string& text, const ResolveOptions& options) {
  const LanguageSource& source = SourceOf(text);
  for (const std::string_view flag : GivenOptions(options)) {
    if (Takes(source, flag)) continue;
    throw InputError(
        "", fmt::format("{} is for {} languages only", flag, Listed(SourcesThatTake(flag), "and")));
  }
  NamedLanguage language = source.parse(text, text.substr(source.prefix.size()), options);
  if (options.envelope) GiveEnvelope(*options.envelope, "--envelope", language);
  return language;
}

bool IsDefinition(const std::string& text) { return !SourceOf(text).is_name; }

std::vector<std::string> DefinitionForms() {
  std::vector<std::string> forms;
  for (const LanguageSource& source : Sources()) {
    if (!source.prefix.empty() && !source.argument.empty())
      forms.push_back(fmt::format("{}{}", source.prefix, source.argument));
  }
  return forms;
}

std::vector<std::string> SourcesThatTake(std::string_view flag) {
  std::vector<std::string> prefixes;
  for (const LanguageSource& source : Sources()) {
    if (Takes(source, flag)) prefixes.emplace_back(source.prefix);
  }
  return prefixes;
}

// A language that is defined in Python, where the module flarelang calls it.
NamedLanguage ParsePythonName(const std::string& text, const std::string&, const ResolveOptions&) {
  throw InputError(text, "is defined in Python", "fl.generate makes its datasets there");
}

// The definition tells one code from another.
Json SavePythonName(const NamedLanguage& language) { return {{"python", language.identity}}; }

}  // namespace flare
