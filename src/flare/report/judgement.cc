#include "flare/report/judgement.h"

namespace flare::report {

bool CanBeJudged(const Cell& cell, std::size_t paper_runs) {
  if (cell.kind != Cell::Kind::kNumber || !cell.paper) return false;
  return cell.ComparedWithPaper() >= 0 || (cell.coverage && cell.coverage->made >= paper_runs);
}

}  // namespace flare::report
