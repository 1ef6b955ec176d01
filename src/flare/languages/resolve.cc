#include "flare/languages/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/envelope.h"

namespace flare {
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

void CheckNoneSaysHowToRead(const ResolveOptions& options) {
  auto given = GivenOptions(options);
  std::erase(given, "--mlregtest");  // says where files are
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

}  // namespace flare
