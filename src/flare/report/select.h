// Which runs a table or a figure is about.
// Comparisons use unrounded values throughout, so ties are exact.

#ifndef FLARE_REPORT_SELECT_H_
#define FLARE_REPORT_SELECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flare/report/study.h"

namespace flare::report {

// The trials of one point of the grid. Refers to runs of the study.
struct RunGroup {
  std::string language, variant, loss, validation;
  std::size_t budget = 0;
  std::vector<const StudyRun*> runs;  // every trial, whether there or not

  // The long-test accuracies of the runs that have one: finished ones, and diverged ones that had a
  // best checkpoint.
  std::vector<double> TestAccuracies() const;
  std::size_t Diverged() const;
  // How many have been made: finished or diverged.
  std::size_t Made() const;
  // The run with the lowest validation cross-entropy (of several: the first), or null.
  const StudyRun* BestByValidation() const;
};

// How much of what the grid asks for is done.
struct Coverage {
  std::size_t scored = 0;    // runs with a long-test accuracy
  std::size_t made = 0;      // runs that have ended, also those that diverged without a score
  std::size_t expected = 0;  // runs of the grid
  std::size_t diverged = 0;  // scored or not
  // Of a loss that was chosen among several: do others lack runs? With them, another may be chosen.
  bool others_lack = false;

  void Add(const RunGroup& group);
  bool IsComplete() const { return scored >= expected && !others_lack; }
};

// A cell of the main table.
struct BestScore {
  double value = 0;
  double std = 0;                   // of a mean
  std::vector<std::string> losses;  // all that attain it, in grid order
  Coverage coverage;                // of the (first) loss, or of all losses for a maximum
};

// By which of the runs an architecture is shown.
enum class Choice {
  kByTest,        // the highest test accuracy; of several, as below
  kByValidation,  // the lowest validation cross-entropy; of several, the first
};

class Selection {
 public:
  // Keeps a reference to the study.
  explicit Selection(const Study& study);

  const Study& study() const { return study_; }
  const std::vector<RunGroup>& groups() const { return groups_; }
  // Null if the grid has no such point.
  const RunGroup* Find(const std::string& language, const std::string& variant,
                       const std::string& loss, const std::string& validation,
                       std::size_t budget) const;

  // A mean: of the loss with the highest mean test accuracy. A maximum: the highest test accuracy
  // of any run. Nothing if no run has one.
  std::optional<BestScore> Score(const ReportColumn& column, const std::string& language,
                                 const std::string& variant) const;
  // How much of what a column is about is done, for cells without any score.
  // Only its validation set and its budget matter.
  Coverage CoverageOf(const ReportColumn& column, const std::string& language,
                      const std::string& variant) const;

  // The run that figures show, among the main-budget runs with a test accuracy, this validation
  // and, unless empty, this loss. Null if there is none.
  const StudyRun* ForFigures(const std::string& language, const std::string& variant, Choice choice,
                             const std::string& loss = "", std::string validation = "") const;

 private:
  // Those of all losses.
  std::vector<const RunGroup*> GroupsOf(const std::string& language, const std::string& variant,
                                        const std::string& validation, std::size_t budget) const;

  const Study& study_;
  std::vector<RunGroup> groups_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace flare::report

#endif  // FLARE_REPORT_SELECT_H_
