// Two sweeps run by run: the runs that both have, paired by their coordinates, and what the second
// gains over the first. Whatever else the sweeps differ in (a setting, the data, the program), the
// difference of a pair is due to that and to chance.

#ifndef FLARE_REPORT_COMPARE_H_
#define FLARE_REPORT_COMPARE_H_

#include <cstddef>
#include <filesystem>
#include <string>

#include "flare/report/table.h"

namespace flare::report {

struct CompareSummary {
  std::size_t pairs = 0;
  std::size_t unpaired = 0;  // runs of either that are scored, and have no scored partner
  std::vector<std::string> damaged_runs;  // of either: which, and what is wrong

  // "12 pairs of runs; 3 runs without a partner"
  std::string Text() const;
};

// Writes compare.md, .tex, .csv and .json, and pairs.csv with a row per pair. Throws InputError if
// one is not a sweep, or no run of the first has a partner in the second.
CompareSummary WriteComparison(const std::filesystem::path& first,
                               const std::filesystem::path& second,
                               const std::filesystem::path& to);

}  // namespace flare::report

#endif  // FLARE_REPORT_COMPARE_H_
