// small:K:I: the I-th language over {a, b} whose minimal complete DFA has K states.

#include <fmt/format.h>

#include <memory>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/small_languages.h"
#include "flare/languages/source.h"

namespace flare {
namespace {

NamedLanguage MakeSmallLanguage(const std::string& text, const std::string& argument) {
  const std::size_t colon = argument.find(':');
  const auto states = ParseNumber<std::size_t>(argument.substr(0, colon));
  const auto index = colon == std::string::npos
                         ? std::nullopt
                         : ParseNumber<std::size_t>(argument.substr(colon + 1));
  if (!states || !index) {
    throw InputError(text, "expected small:K:I, the I-th language of K states, as small:3:17");
  }
  if (*states < 1 || *states > kMostSmallStates) {
    throw InputError(text, fmt::format("{} states: languages of 1 to {} states are numbered",
                                       *states, kMostSmallStates));
  }
  const std::size_t count = CountSmallLanguages(*states);
  if (*index < 1 || *index > count) {
    throw InputError(text, fmt::format("there is no language {} of {} states: they are numbered "
                                       "from 1 to {}",
                                       *index, *states, count));
  }
  const SmallLanguage small{*states, *index};
  if (small.Text() != text) {
    throw InputError(text,
                     fmt::format("numbers are written without zeros in front: {}", small.Text()));
  }
  try {
    return {.name = text,
            .language_class = LanguageClass::kRegular,
            .definition = fmt::format("language {} of the {} whose minimal DFA has {} over a and b",
                                      *index, count, Counted(*states, "state")),
            .identity = text,
            .language = std::make_unique<RegularLanguage>(MakeSmallDfa(small))};
  } catch (const InputError& error) {
    throw InputError(text, error.what(), error.hint());
  }
}

}  // namespace

NamedLanguage ParseSmallSource(const std::string& text, const std::string& argument,
                               const ResolveOptions&) {
  return MakeSmallLanguage(text, argument);
}

// The numbers are the language.
Json SaveSmall(const NamedLanguage&) { return Json::object(); }

NamedLanguage LoadSmall(const SavedLanguage& saved, const std::string&) {
  return MakeSmallLanguage(saved.text, saved.text.substr(saved.text.find(':') + 1));
}

}  // namespace flare
