#include "flare/report/main_cells.h"

#include "flare/report/paper.h"

namespace flare::report {

Cell InductiveBiasCell(const Selection& selection, const std::string& language,
                       const std::string& architecture) {
  Cell cell;
  if (const auto best = selection.InductiveBias(language, architecture)) {
    cell = Cell::Number(best->value);
    // One trial has none.
    if (best->coverage.scored > 1) cell.spread = best->std;
    cell.coverage = best->coverage;
  } else {
    cell.coverage = selection.CoverageOf(language, architecture, "short");
  }
  if (const auto paper = PaperInductiveBias(language, architecture)) {
    cell.paper = paper->mean;
    cell.paper_spread = paper->std;
  }
  return cell;
}

Cell ExpressivityCell(const Selection& selection, const std::string& language,
                      const std::string& architecture) {
  Cell cell;
  if (const auto best = selection.Expressivity(language, architecture)) {
    cell = Cell::Number(best->value);
  }
  cell.coverage = selection.CoverageOf(language, architecture, "long");
  cell.paper = PaperExpressivity(language, architecture);
  return cell;
}

}  // namespace flare::report
