#include "flare/report/predicted.h"

#include <utility>

namespace flare::report {

std::vector<PredictedRow> PredictedBesideObserved(const Selection& selection) {
  const Study& study = selection.study();
  const std::string& validation = study.MainValidation();
  std::vector<PredictedRow> rows;
  for (const ClassifiedLanguage& language : LanguagesByClass(study)) {
    PredictedRow row{language.name, language.group, {}};
    for (const std::string& variant : study.Variants()) {
      PredictedCell cell{.variant = variant};
      if (language.classification) {
        cell.exclusion = ExclusionOf(*language.classification, study.CohortOf(variant));
      }
      cell.coverage = selection.CoverageOf(study.columns.back(), language.name, variant);
      const Run* run =
          selection.ForFigures(language.name, variant, Choice::kByTest, "", validation);
      if (run != nullptr) {
        cell.accuracy = run->TestAccuracy();
        cell.longest_perfect_length = run->LongestPerfectLength();
      }
      row.cells.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace flare::report
