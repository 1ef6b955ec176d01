#include "flare/languages/paper_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flare/automata/operations.h"
#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/languages/catalog.h"

namespace flare {
namespace {

// Why the language may not pass for the paper's; empty if it is the same.
std::string Difference(const Language& language, const Language& paper) {
  if (!(language.alphabet() == paper.alphabet())) {
    return fmt::format("its alphabet is {}, not {}", fmt::join(language.alphabet().names(), " "),
                       fmt::join(paper.alphabet().names(), " "));
  }
  if (language.dfa() == nullptr || paper.dfa() == nullptr) {
    return "only regular languages can be shown to be the same";
  }
  const auto difference = ShortestDifference(*language.dfa(), *paper.dfa());
  if (!difference) return "";
  return fmt::format(
      "it {} {}", language.Contains(*difference) ? "has" : "lacks",
      difference->empty() ? "the empty string" : Quoted(paper.alphabet().Format(*difference)));
}

}  // namespace

void CheckPaperName(const std::string& name, const NamedLanguage& language,
                    const std::string& where) {
  const CatalogEntry* entry = FindInCatalog(name);
  if (entry == nullptr || entry->origin != Origin::kPaper || language.identity == name) return;
  const std::string difference = Difference(*language.language, *entry->make());
  if (difference.empty()) return;
  throw InputError(where,
                   fmt::format("{} is the name of a language of the paper, which {} is not: {}",
                               Quoted(name), Quoted(language.name), difference),
                   "choose another name");
}

}  // namespace flare
