#include "flare/report/comparable.h"

#include <fmt/format.h>

#include <map>

#include "flare/report/titles.h"

namespace flare::report {
namespace {

bool IsComparable(const Study& study, const std::string& language, const std::string& variant) {
  return study.shows_paper && study.PaperGap(language, variant).empty();
}

// At the main budget, which the paper's main tables are about.
bool IsMain(const Study& study, const std::string& language, const std::string& variant) {
  return study.MainBudget() == kPaperBudget && IsComparable(study, language, variant);
}

std::string VariantOf(const Study& study, const std::string& cohort) {
  return study.CohortOf(cohort).variant;
}

}  // namespace

std::optional<PaperMean> ComparableInductiveBias(const Study& study, const std::string& language,
                                                 const std::string& variant) {
  if (!IsMain(study, language, variant) || study.FirstValidation() != "short") return std::nullopt;
  return PaperInductiveBias(language, VariantOf(study, variant));
}

std::optional<double> ComparableExpressivity(const Study& study, const std::string& language,
                                             const std::string& variant) {
  if (!IsMain(study, language, variant) || study.SecondValidation() != "long") return std::nullopt;
  return PaperExpressivity(language, VariantOf(study, variant));
}

std::string ComparableBestLoss(const Study& study, const std::string& experiment,
                               const std::string& language, const std::string& variant) {
  const bool has_validation = experiment == "expressivity" ? study.SecondValidation() == "long"
                                                           : study.FirstValidation() == "short";
  if (!IsMain(study, language, variant) || !has_validation) return "";
  return PaperBestLoss(experiment, language, VariantOf(study, variant));
}

std::optional<double> ComparableModelSize(const Study& study, const std::string& language,
                                          const std::string& variant, std::size_t budget) {
  if (!IsComparable(study, language, variant)) return std::nullopt;
  return PaperModelSize(language, VariantOf(study, variant), budget);
}

std::optional<bool> ComparablePerfect(const Study& study, const std::string& language,
                                      const std::string& variant) {
  if (!IsMain(study, language, variant) || study.SecondValidation() != "long") return std::nullopt;
  return PaperPerfect(language, VariantOf(study, variant));
}

std::vector<std::string> NotesOnThePaper(const Study& study) {
  std::vector<std::string> notes;
  if (!study.shows_paper) return notes;
  std::map<std::string, std::vector<std::string>> languages;  // by reason
  for (const std::string& language : study.axes.languages) {
    for (const std::string& variant : study.axes.variants) {
      if (!PaperInductiveBias(language, VariantOf(study, variant))) continue;
      std::string gap = study.PaperGap(language, variant);
      if (gap.empty() && study.MainBudget() != kPaperBudget) {
        gap = fmt::format("the budget is {}, not {}", study.MainBudget(), kPaperBudget);
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
