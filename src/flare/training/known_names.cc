#include "flare/training/known_names.h"

#include "flare/languages/catalog.h"
#include "flare/languages/source.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/optimizer.h"
#include "flare/training/schedule.h"

namespace flare {
namespace {

Names Collect() {
  Names names;
  for (const Architecture& architecture : Architectures()) {
    names.architectures.push_back(
        {architecture.name, architecture.arithmetic, architecture.options});
  }
  for (const LossTermInfo& term : LossTermCatalog()) {
    names.loss_terms.push_back({term.name, term.key, term.help, term.figures, term.in_all_files});
  }
  for (const OptimizerInfo& one : OptimizerCatalog()) {
    names.optimizers.push_back({one.name, one.help, one.settings});
  }
  for (const ScheduleInfo& one : ScheduleCatalog()) {
    names.schedules.push_back({one.name, one.help, one.settings});
  }
  names.targets = {"avx2", "native", "portable"};
  // `all` is older than the languages that are not the paper's; grids that say so stay what they
  // are.
  names.language_sets["all"] = names.language_sets["paper"] = PaperLanguages();
  for (const LanguageSource& source : Sources()) {
    if (!source.is_name) names.language_sources.emplace_back(source.prefix);
  }
  return names;
}

}  // namespace

const Names& KnownNames() {
  static const Names names = Collect();
  return names;
}

}  // namespace flare
