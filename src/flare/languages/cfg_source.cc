// cfg:FILE

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/grammars/grammar.h"
#include "flare/languages/context_free.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

constexpr const char* kGrammarMember = "grammar";

NamedLanguage FromGrammar(Grammar grammar, const std::string& text, const std::string& definition,
                          const std::string& where) {
  auto language = std::make_unique<ContextFreeLanguage>(std::move(grammar), where);
  return {.name = text,
          .language_class = language->is_lr1() ? LanguageClass::kDeterministicContextFree
                                               : LanguageClass::kContextFree,
          .definition = definition,
          .identity = "context-free:" + Sha256(Describe(language->normal_form())),
          .language = std::move(language)};
}

}  // namespace

NamedLanguage ParseCfgSource(const std::string& text, const std::string& file,
                             const ResolveOptions& options) {
  return FromGrammar(ParseGrammar(ReadFile(file), file, options.extra_symbols), text,
                     "the strings that the grammar derives", file);
}

Json SaveGrammar(const NamedLanguage& language) {
  const auto& context_free = dynamic_cast<const ContextFreeLanguage&>(*language.language);
  return {{kGrammarMember, FormatGrammar(context_free.grammar())}};
}

NamedLanguage LoadGrammar(const SavedLanguage& saved, const std::string& where) {
  const auto rules = saved.contents.find(kGrammarMember);
  const bool is_text =
      rules != saved.contents.end() && rules->is_array() &&
      std::all_of(rules->begin(), rules->end(), [](const Json& line) { return line.is_string(); });
  if (!is_text) {
    throw InputError(where, fmt::format("language {} has no grammar", Quoted(saved.text)));
  }
  const std::string text =
      fmt::format("{}", fmt::join(rules->get<std::vector<std::string>>(), "\n"));
  return FromGrammar(ParseGrammar(text, where + ": grammar", saved.alphabet), saved.text,
                     saved.definition, where);
}

}  // namespace flare
