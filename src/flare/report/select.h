// Selects the runs that a table or a figure shows.
// Comparisons use unrounded values throughout, so ties are exact.

#ifndef FLARE_REPORT_SELECT_H_
#define FLARE_REPORT_SELECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "flare/report/study.h"

namespace flare::report {

// The trials of one point of the grid. Refers to runs of the study.
struct RunGroup {
  std::string language, variant, loss, validation;
  std::size_t budget = 0;
  std::vector<const StudyRun*> runs;  // every trial, whether there or not
  // These are set if the group stands for a family: the cohort that validation has chosen, the
  // number of cohorts with a run that it chose among, and whether another might be chosen once
  // missing runs of the others are there.
  std::string chosen = {};
  std::size_t tried = 1;
  bool others_lack = false;

  // The scores of the runs that have one: finished ones, and diverged ones that had a best
  // checkpoint.
  std::vector<double> Scores() const;
  // Returns the value that chooses among settings, the lower the better: the mean, over runs that
  // have ended, of the validation cross-entropy, or of the loss if runs do not recognize. It is
  // infinite if a run diverged before its first checkpoint. Returns nothing if no run has ended.
  std::optional<double> Validation() const;
  std::size_t Diverged() const;
  // Returns the number of runs that have finished or diverged.
  std::size_t Made() const;
  // The run with the lowest validation cross-entropy (of several: the first), or null.
  const StudyRun* BestByValidation() const;
};

// How many of the runs that the grid asks for are done.
struct Coverage {
  std::size_t scored = 0;    // runs with a score on the test split
  std::size_t made = 0;      // runs that have ended, also those that diverged without a score
  std::size_t expected = 0;  // runs of the grid
  std::size_t diverged = 0;  // scored or not
  // If the loss or a setting was chosen among several: do the others lack runs, so that another may
  // be chosen later?
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
  std::string chosen = {};          // of a family: the cohort, of the (first) loss
  std::size_t tried = 1;            // among how many it was chosen
};

// The rule that chooses the run by which figures show an architecture.
enum class Choice {
  kByTest,        // the best score on the test split; of several, as below
  kByValidation,  // the lowest validation cross-entropy; of several, the first
};

class Selection {
 public:
  // Keeps a reference to the study.
  explicit Selection(const Study& study);

  const Study& study() const { return study_; }
  // Returns the groups of cohorts.
  const std::vector<RunGroup>& groups() const { return groups_; }
  // Returns the runs of a language, in the order of the study.
  const std::vector<const StudyRun*>& RunsOf(const std::string& language) const {
    return of_languages_.at(language);
  }
  // Returns the group at a point of the grid; for a family or a contender, the one that validation
  // chooses. Null if the grid has no such point.
  const RunGroup* Find(const std::string& language, const std::string& variant,
                       const std::string& loss, const std::string& validation,
                       std::size_t budget) const;

  // Returns the score of a cell: if the column shows means, the mean of the loss with the best
  // mean; if it shows maxima, the best score of any run. Nothing if no run has a score.
  std::optional<BestScore> Score(const ReportColumn& column, const std::string& language,
                                 const std::string& variant) const;
  // Returns how many runs of a cell without any score are done. Of the column, only its validation
  // set and its budget matter.
  Coverage CoverageOf(const ReportColumn& column, const std::string& language,
                      const std::string& variant) const;

  // Returns the run that figures show: one with a score, the main budget, this validation and,
  // unless it is empty, this loss; for a family, a run of any of its cohorts. Null if there is
  // none.
  const StudyRun* ForFigures(const std::string& language, const std::string& variant, Choice choice,
                             const std::string& loss = "", std::string validation = "") const;

 private:
  // Returns the groups of all losses.
  std::vector<const RunGroup*> GroupsOf(const std::string& language, const std::string& variant,
                                        const std::string& validation, std::size_t budget) const;

  void ChooseForFamilies();

  const Study& study_;
  std::vector<RunGroup> groups_;
  std::vector<RunGroup> chosen_;                                      // of families
  std::map<std::string, std::vector<const StudyRun*>> of_languages_;  // all runs
  std::unordered_map<std::string, std::size_t> index_;  // into groups_, and then into chosen_
};

}  // namespace flare::report

#endif  // FLARE_REPORT_SELECT_H_
