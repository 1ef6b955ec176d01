// Scores by the length of strings: in the bins that the data has as splits (test-0-50, test-51-100,
// …), else in ten bins of equal width over the lengths of the test split.

#ifndef FLARE_REPORT_BY_LENGTH_H_
#define FLARE_REPORT_BY_LENGTH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/run_files.h"
#include "flare/report/select.h"
#include "flare/report/table.h"

namespace flare::report {

struct LengthBin {
  std::size_t least = 0, most = 0;
  std::string split = {};  // that is this bin; empty: a part of the test split

  std::string Title() const;  // "51–100"
};

// Returns bins in ascending order; none if the lengths of the test split are not known.
std::vector<LengthBin> LengthBinsOf(const Study& study, const std::string& language);

// Ten bins over the lengths that a run was measured on.
std::vector<LengthBin> LengthBinsOf(const LengthTables& tables);

// The longest string that networks were trained on; nothing if that is not known.
std::optional<std::size_t> TrainedLength(const Study& study, const std::string& language);

// The study's metric, if runs have it by length: accuracies of strings, or of an auxiliary term.
std::optional<std::string> LengthMetricOf(const Study& study);

// The accuracies that a group of trials has by length, of strings first.
std::vector<std::string> MetricsByLength(const Study& study, const RunGroup& group);

// The scores of a group of trials, bin by bin; nothing where no run has a string of the lengths.
struct LengthCurve {
  std::string language, family, loss, validation;
  std::string metric;                                  // "accuracy", "state_accuracy_positions"
  std::vector<std::optional<double>> mean, low, high;  // over trials
  std::size_t runs = 0;
};
LengthCurve LengthCurveOf(const RunGroup& group, const std::string& metric,
                          const std::vector<LengthBin>& bins, RunFiles& files);

// Returns the curves that figures and tables show of a language: one for every validation set,
// family and accuracy by length, over the runs behind the main table, those of the loss with the
// best mean.
std::vector<LengthCurve> LengthCurvesOf(const Selection& selection, const std::string& language,
                                        RunFiles& files);

}  // namespace flare::report

#endif  // FLARE_REPORT_BY_LENGTH_H_
