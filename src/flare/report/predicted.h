// Predicted and observed: what theory excludes, and what the best run of a variant reached.

#ifndef FLARE_REPORT_PREDICTED_H_
#define FLARE_REPORT_PREDICTED_H_

#include <optional>
#include <string>
#include <vector>

#include "flare/report/language_classes.h"
#include "flare/report/select.h"

namespace flare::report {

struct PredictedCell {
  std::string variant;  // the id of its cohort
  Exclusion exclusion = Exclusion::kNone;
  // Of the run with the highest test accuracy among those with the last column's validation set.
  std::optional<double> accuracy = {}, longest_perfect_length = {};
  Coverage coverage = {};
};

struct PredictedRow {
  std::string language;
  std::string group;  // as in ClassifiedLanguage
  std::vector<PredictedCell> cells;
};

std::vector<PredictedRow> PredictedBesideObserved(const Selection& selection);

}  // namespace flare::report

#endif  // FLARE_REPORT_PREDICTED_H_
