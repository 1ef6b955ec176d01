#include "flare/languages/regular_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"

namespace flare {
namespace {

constexpr const char* kMember = "automaton";

std::string Identity(const Dfa& minimal) {
  std::string text = fmt::format("{}\n", fmt::join(minimal.alphabet().names(), " "));
  for (std::size_t q = 0; q < minimal.num_states(); ++q) {
    text += minimal.IsAccepting(StateAt(q)) ? "+" : "-";
    for (const auto& [a, r] : minimal.TransitionsFrom(StateAt(q))) {
      text += fmt::format(" {}:{}", Index(a), Index(r));
    }
    text += '\n';
  }
  return "regular:" + Sha256(text);
}

}  // namespace

NamedLanguage FromAutomaton(const Dfa& dfa, const std::string& text, const std::string& definition,
                            const std::string& where) {
  try {
    auto language = std::make_unique<RegularLanguage>(dfa);
    return {.name = text,
            .language_class = LanguageClass::kRegular,
            .definition = definition,
            .identity = Identity(*language->dfa()),
            .language = std::move(language)};
  } catch (const InputError& error) {
    throw InputError(where, error.what(), error.hint());
  }
}

Json SaveAutomaton(const NamedLanguage& language) {
  return {{kMember, DfaToJson(*language.language->dfa())}};
}

NamedLanguage LoadAutomaton(const SavedLanguage& saved, const std::string& where) {
  const auto automaton = saved.contents.find(kMember);
  if (automaton == saved.contents.end() || automaton->is_null()) {
    throw InputError(where, fmt::format("language {} has no automaton", Quoted(saved.text)));
  }
  return FromAutomaton(DfaFromJson(*automaton, Alphabet(saved.alphabet), where), saved.text,
                       saved.definition, where);
}

}  // namespace flare
