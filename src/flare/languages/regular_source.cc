#include "flare/languages/regular_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "flare/automata/operations.h"
#include "flare/automata/regex.h"
#include "flare/automata/text_formats.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/languages/small_languages.h"
#include "flare/languages/source.h"

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

// regex:PATTERN
NamedLanguage ParseRegexSource(const std::string& text, const std::string& pattern,
                               const ResolveOptions& options) {
  return FromAutomaton(CompileRegex(pattern, options.extra_symbols), text,
                       "the strings that match " + pattern, text);
}

// att:FILE
NamedLanguage ParseAttSource(const std::string& text, const std::string& file,
                             const ResolveOptions& options) {
  AttOptions att{.acceptor = options.att_acceptor, .extra_symbols = options.extra_symbols};
  if (options.att_symbols) {
    att.symbols = ParseSymbolTable(ReadFile(*options.att_symbols), *options.att_symbols);
  }
  return FromAutomaton(ParseAtt(ReadFile(file), file, att), text,
                       "the strings that the automaton accepts", text);
}

// mlregtest:04.03.TLT.2.1.0: a language of MLRegTest (van der Poel et al. 2024), from a folder with
// its automata as AT&T text, NAME.att or NAME.txt. Where there is no file for a co-language, it is
// the complement of the language without `co`.

namespace {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& text, const ResolveOptions& options) {
  if (options.mlregtest) return *options.mlregtest;
  if (const char* folder = std::getenv("FLARE_MLREGTEST"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  throw InputError(text, "where are MLRegTest's automata?",
                   "name their folder with --mlregtest or $FLARE_MLREGTEST");
}

std::optional<fs::path> FileOf(const fs::path& folder, const std::string& name) {
  for (const char* ending : {".att", ".txt"}) {
    const fs::path file = folder / (name + ending);
    if (fs::exists(file)) return file;
  }
  return std::nullopt;
}

// The third of the fields of Σ.τ.class.k.t.i is the class, as coSL or TcoSL; nothing if it has no
// `co`.
std::optional<std::string> WithoutCo(const std::string& name) {
  const std::size_t begin = name.find('.', std::min(name.find('.'), name.size() - 1) + 1);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = name.find('.', begin + 1);
  const std::size_t co = name.find("co", begin);
  if (co == std::string::npos || co >= end) return std::nullopt;
  return name.substr(0, co) + name.substr(co + 2);
}

}  // namespace

NamedLanguage ParseMlregtestSource(const std::string& text, const std::string& name,
                                   const ResolveOptions& options) {
  const fs::path folder = FolderOf(text, options);
  if (name.empty() || name.find('/') != std::string::npos) {
    throw InputError(text, fmt::format("{} is not an MLRegTest name", Quoted(name)),
                     "as mlregtest:04.03.TLT.2.1.0");
  }
  AttOptions att{.acceptor = options.att_acceptor};
  if (options.att_symbols) {
    att.symbols = ParseSymbolTable(ReadFile(*options.att_symbols), *options.att_symbols);
  }
  const auto read = [&](const fs::path& file) { return ParseAtt(ReadFile(file), file, att); };
  const std::string definition = "the language " + name + " of MLRegTest";
  if (const auto file = FileOf(folder, name)) {
    return FromAutomaton(read(*file), text, definition, text);
  }
  if (const auto other = WithoutCo(name)) {
    if (const auto file = FileOf(folder, *other)) {
      Effort effort(text);
      return FromAutomaton(Minimize(Complement(read(*file), effort)), text, definition, text);
    }
  }
  throw InputError(folder, fmt::format("has no {0}.att or {0}.txt", name));
}

// small:K:I: the I-th language over {a, b} whose minimal complete DFA has K states.

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

// The numbers in its name define the language.
Json SaveSmall(const NamedLanguage&) { return Json::object(); }

NamedLanguage LoadSmall(const SavedLanguage& saved, const std::string&) {
  return MakeSmallLanguage(saved.text, saved.text.substr(saved.text.find(':') + 1));
}

}  // namespace flare
