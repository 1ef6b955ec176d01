// Cohorts: sets of runs that may be averaged and ranked together, each a column of the tables.
//
// A variant is one cohort as long as all its runs have the same settings, of whatever sweep, and
// were computed with the same arithmetic for the same instruction set, or by the same program of
// somebody's. Otherwise it is several,
// side by side, each with a note of what sets it apart.

#ifndef FLARE_REPORT_COHORTS_H_
#define FLARE_REPORT_COHORTS_H_

#include <cstddef>
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

// `published` may be null.
CohortPlan PlanCohorts(const std::vector<Source>& sources, const Published* published);

}  // namespace flare::report

#endif  // FLARE_REPORT_COHORTS_H_
