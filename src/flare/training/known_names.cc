#include "flare/training/known_names.h"

#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"

namespace flare {
namespace {

Names Collect() {
  Names names;
  for (const Architecture& architecture : Architectures()) {
    names.architectures.push_back(
        {architecture.name, architecture.arithmetic, architecture.options});
  }
  for (const LossTermInfo& term : LossTermCatalog()) {
    names.loss_terms.push_back({term.name, term.key, term.help, term.figures});
  }
  names.targets = {"avx2", "native", "portable"};
  for (const CatalogEntry& entry : Catalog()) names.language_sets["all"].push_back(entry.name);
  names.language_sets["paper"] = PaperLanguages();
  for (const LanguageSource& source : Sources()) {
    if (!source.prefix.empty()) names.language_sources.emplace_back(source.prefix);
  }
  return names;
}

}  // namespace

const Names& KnownNames() {
  static const Names names = Collect();
  return names;
}

}  // namespace flare
