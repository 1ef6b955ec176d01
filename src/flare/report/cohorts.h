// Cohorts: sets of runs that may be averaged and ranked together, each a column of the tables.
//
// A variant is one cohort as long as all its runs have the same settings, of whatever sweep, and
// were computed with the same arithmetic for the same instruction set, or by the same program of
// somebody's. Otherwise it is several,
// side by side, each with a note of what sets it apart.

#ifndef FLARE_REPORT_COHORTS_H_
#define FLARE_REPORT_COHORTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flare/base/option.h"
#include "flare/report/published.h"
#include "flare/report/source.h"

namespace flare::report {

struct Cohort {
  std::string id;       // the variant's text, with the note if there is one
  std::string variant;  // its text
  std::string label;    // that the user has given the variant, or empty
  std::string note;     // "arithmetic 0.1"; empty for the only cohort of a variant
  // Why its settings cannot be compared with those of published runs, as "max_epochs is 1, not
  // 1000"; empty if they can.
  std::string incomparable;
  OptionTexts options = {};  // of its architecture, every one
  // What its grid and its variant say about its runs, or would take anyway; without what is drawn.
  SettingTexts settings = {};
};

struct CohortPlan {
  std::vector<Cohort> cohorts;  // in the order in which the grids have the variants
  // The cohort of each source's runs, as an index.
  std::vector<std::vector<std::size_t>> of_runs;
};

// Cohorts that tables show as one, since they differ in nothing but settings that the grid varies.
struct Family {
  // What they share. Its id is that of the only one, or has stars: "lstm,learning_rate=*".
  Cohort shown;
  std::vector<std::string> cohorts;  // their ids, in grid order

  const std::string& id() const { return shown.id; }
};

// Groups all that are alike but for these settings, in the order in which they are met. Cohorts
// that the user calls differently are not alike.
std::vector<Family> FamiliesOf(const std::vector<Cohort>& cohorts,
                               const std::vector<std::string>& varied);

// Returns the value of a cohort's setting as a number; nothing if it is not a number, or so large
// that differences might not be finite.
std::optional<double> NumberOf(const Cohort& cohort, const std::string& setting);

// The settings along which numbers vary: some cohorts differ in nothing else, and no two of them
// have the same number. In alphabetical order.
std::vector<std::string> NumericSettings(const std::vector<Cohort>& cohorts);

// `published` may be null.
CohortPlan PlanCohorts(const std::vector<Source>& sources, const Published* published);

}  // namespace flare::report

#endif  // FLARE_REPORT_COHORTS_H_
