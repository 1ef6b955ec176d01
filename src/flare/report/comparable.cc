#include "flare/report/comparable.h"

#include <fmt/format.h>

#include <map>

#include "flare/report/names.h"

namespace flare::report {
namespace {

bool IsComparable(const Sweep& sweep, const std::string& language, const std::string& variant) {
  return sweep.shows_paper && sweep.PaperGap(language, variant).empty();
}

// At the main budget, which the paper's main tables are about.
bool IsMain(const Sweep& sweep, const std::string& language, const std::string& variant) {
  return sweep.MainBudget() == kPaperBudget && IsComparable(sweep, language, variant);
}

std::string VariantOf(const Sweep& sweep, const std::string& cohort) {
  return sweep.CohortOf(cohort).variant;
}

}  // namespace

std::optional<PaperMean> ComparableInductiveBias(const Sweep& sweep, const std::string& language,
                                                 const std::string& variant) {
  if (!IsMain(sweep, language, variant) || sweep.FirstValidation() != "short") return std::nullopt;
  return PaperInductiveBias(language, VariantOf(sweep, variant));
}

std::optional<double> ComparableExpressivity(const Sweep& sweep, const std::string& language,
                                             const std::string& variant) {
  if (!IsMain(sweep, language, variant) || sweep.SecondValidation() != "long") return std::nullopt;
  return PaperExpressivity(language, VariantOf(sweep, variant));
}

std::string ComparableBestLoss(const Sweep& sweep, const std::string& experiment,
                               const std::string& language, const std::string& variant) {
  if (!IsMain(sweep, language, variant) || sweep.FirstValidation() != "short") return "";
  return PaperBestLoss(experiment, language, VariantOf(sweep, variant));
}

std::optional<double> ComparableModelSize(const Sweep& sweep, const std::string& language,
                                          const std::string& variant, std::size_t budget) {
  if (!IsComparable(sweep, language, variant)) return std::nullopt;
  return PaperModelSize(language, VariantOf(sweep, variant), budget);
}

std::optional<bool> ComparablePerfect(const Sweep& sweep, const std::string& language,
                                      const std::string& variant) {
  if (!IsMain(sweep, language, variant) || sweep.SecondValidation() != "long") return std::nullopt;
  return PaperPerfect(language, VariantOf(sweep, variant));
}

std::vector<std::string> NotesOnThePaper(const Sweep& sweep) {
  std::vector<std::string> notes;
  if (!sweep.shows_paper) return notes;
  std::map<std::string, std::vector<std::string>> languages;  // by reason
  for (const std::string& language : sweep.axes.languages) {
    for (const std::string& variant : sweep.axes.variants) {
      if (!PaperInductiveBias(language, VariantOf(sweep, variant))) continue;
      std::string gap = sweep.PaperGap(language, variant);
      if (gap.empty() && sweep.MainBudget() != kPaperBudget) {
        gap = fmt::format("the budget is {}, not {}", sweep.MainBudget(), kPaperBudget);
      }
      if (gap.empty()) continue;
      std::vector<std::string>& all = languages[gap];
      const std::string title = LanguageTitle(language);
      if (all.empty() || all.back() != title) all.push_back(title);
    }
  }
  for (const auto& [reason, titles] : languages) {
    std::string list;
    for (const std::string& title : titles) list += (list.empty() ? "" : ", ") + title;
    notes.push_back(fmt::format("Not comparable with the paper: {}: {}.", list, reason));
  }
  return notes;
}

}  // namespace flare::report
