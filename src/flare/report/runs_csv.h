// runs.csv: a row for every run of the grid, with everything that is known about it.

#ifndef FLARE_REPORT_RUNS_CSV_H_
#define FLARE_REPORT_RUNS_CSV_H_

#include <string>

#include "flare/report/study.h"

namespace flare::report {

// Coordinates, state, seed, settings, outcome, cost, hashes, then every metric of every split as
// <split>_<metric>. What a run does not have is empty.
std::string FormatRunsCsv(const Study& study);

}  // namespace flare::report

#endif  // FLARE_REPORT_RUNS_CSV_H_
