// runs.csv: a row for every run of the grid, with everything that is known about it.

#ifndef FLARE_REPORT_RUNS_CSV_H_
#define FLARE_REPORT_RUNS_CSV_H_

#include <string>
#include <string_view>
#include <vector>

#include "flare/report/study.h"
#include "flare/runs/names.h"
#include "flare/runs/record.h"

namespace flare::report {

// Coordinates, state, seed, settings, outcome, cost, hashes, then every metric of every split as
// <split>_<metric>. What a run does not have is empty.
std::string FormatRunsCsv(const Study& study);

struct RunsOfCsv {
  std::vector<RunRecord> records;
  std::vector<std::string> left_out;  // rows of other programs, with file and line
};

// The finished runs of a table that FormatRunsCsv wrote, as far as it says: no curves, only the
// hash of the data, and no runs of other programs, whose commands it does not have. Throws
// InputError with file and line.
RunsOfCsv ReadRunsCsv(std::string_view text, const std::string& file, const Names& names);

}  // namespace flare::report

#endif  // FLARE_REPORT_RUNS_CSV_H_
