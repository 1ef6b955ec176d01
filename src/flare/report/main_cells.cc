#include "flare/report/main_cells.h"

#include "flare/report/comparable.h"
#include "flare/report/judgement.h"

namespace flare::report {

Cell InductiveBiasCell(const Selection& selection, const std::string& language,
                       const std::string& variant) {
  Cell cell;
  if (const auto best = selection.InductiveBias(language, variant)) {
    cell = Cell::Number(best->value);
    // One trial has none.
    if (best->coverage.scored > 1) cell.spread = best->std;
    cell.coverage = best->coverage;
  } else {
    cell.coverage = selection.CoverageOf(language, variant, selection.study().FirstValidation());
  }
  if (const auto paper = ComparableInductiveBias(selection.study(), language, variant)) {
    cell.paper = paper->mean;
    cell.paper_spread = paper->std;
  }
  return cell;
}

Cell ExpressivityCell(const Selection& selection, const std::string& language,
                      const std::string& variant) {
  Cell cell;
  if (const auto best = selection.Expressivity(language, variant)) {
    cell = Cell::Number(best->value);
  }
  cell.coverage = selection.CoverageOf(language, variant, selection.study().SecondValidation());
  cell.paper = ComparableExpressivity(selection.study(), language, variant);
  cell.judged = CanBeJudged(cell, kPaperExpressivityRuns);
  return cell;
}

}  // namespace flare::report
