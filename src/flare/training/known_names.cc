#include "flare/training/known_names.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/languages/catalog.h"
#include "flare/languages/small_languages.h"
#include "flare/languages/source.h"
#include "flare/nn/architectures.h"
#include "flare/nn/loss_terms.h"
#include "flare/nn/optimizer.h"
#include "flare/training/schedule.h"

namespace flare {
namespace {

std::vector<std::string> NamesOfAtlas(std::size_t states, const std::string& where) {
  if (states < 1 || states > kMostSmallStates) {
    throw InputError(where, fmt::format("atlas: {} is not a number of states from 1 to {}", states,
                                        kMostSmallStates));
  }
  std::vector<std::string> names;
  for (const SmallLanguage& language : Atlas(states)) names.push_back(language.Text());
  if (names.empty()) {
    throw InputError(where, fmt::format("atlas: {}: all languages of that many states are finite, "
                                        "or their complements are",
                                        states));
  }
  return names;
}

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
  names.atlas = NamesOfAtlas;
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
