#include "flare/languages/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "flare/automata/att.h"
#include "flare/automata/regex.h"
#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/base/sha256.h"
#include "flare/base/text.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

constexpr std::string_view kRegexPrefix = "regex:";
constexpr std::string_view kAttPrefix = "att:";

[[noreturn]] void ThrowUnknown(const std::string& text) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) names.push_back(entry.name);
  const auto nearest = Nearest(text, names);
  throw InputError("", fmt::format("unknown language {}", Quoted(text)),
                   nearest ? fmt::format("did you mean {}?", *nearest)
                           : "'flare languages' lists them; regex:PATTERN and att:FILE define one");
}

Dfa ReadAtt(const std::string& file, const ResolveOptions& options) {
  AttOptions att{.acceptor = options.att_acceptor, .extra_symbols = options.extra_symbols};
  if (options.att_symbols) {
    att.symbols = ParseSymbolTable(ReadFile(*options.att_symbols), *options.att_symbols);
  }
  return ParseAtt(ReadFile(file), file, att);
}

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

NamedLanguage FromDfa(const std::string& text, const std::string& definition, const Dfa& dfa) {
  try {
    auto language = std::make_unique<RegularLanguage>(dfa);
    return {text, LanguageClass::kRegular, definition, Identity(*language->dfa()),
            "",   std::move(language)};
  } catch (const InputError& error) {
    throw InputError(text, error.what(), error.hint());
  }
}

}  // namespace

bool IsDefinition(const std::string& text) {
  return text.starts_with(kRegexPrefix) || text.starts_with(kAttPrefix);
}

NamedLanguage ResolveLanguage(const std::string& text, const ResolveOptions& options) {
  const bool is_regex = text.starts_with(kRegexPrefix);
  const bool is_att = text.starts_with(kAttPrefix);
  if (!is_att && (options.att_symbols || options.att_acceptor)) {
    throw InputError("", "--symbols and --att-acceptor are for att:FILE languages only");
  }
  if (!is_att && !is_regex && !options.extra_symbols.empty()) {
    throw InputError("", "--alphabet is for regex: and att: languages only");
  }
  if (is_regex) {
    const std::string pattern = text.substr(kRegexPrefix.size());
    return FromDfa(text, "the strings that match " + pattern,
                   CompileRegex(pattern, options.extra_symbols));
  }
  if (is_att) {
    const std::string file = text.substr(kAttPrefix.size());
    return FromDfa(text, "the strings that the automaton accepts", ReadAtt(file, options));
  }
  const CatalogEntry* entry = FindInCatalog(text);
  if (entry == nullptr) ThrowUnknown(text);
  return {entry->name, entry->language_class, entry->definition,
          entry->name, entry->envelope,       entry->make()};
}

}  // namespace flare
