// Where a report takes its runs from: a sweep with every run of its grid, each read and checked.

#ifndef FLARE_REPORT_SOURCE_H_
#define FLARE_REPORT_SOURCE_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/runs/baseline_file.h"
#include "flare/runs/run.h"
#include "flare/runs/sweep_file.h"

namespace flare::report {

struct Source {
  Sweep sweep;
  std::vector<flare::Run> runs;  // every one of the grid, in its order
  // By language, then split.
  std::map<std::string, std::map<std::string, Baselines>> baselines;
  std::vector<std::string> damaged_baselines;  // a line for each file: which, and what is wrong

  // What a report calls it: the grid's name, else the directory.
  std::string Title() const;
};

// Reads a sweep directory or records. Throws InputError if it is neither.
Source ReadSource(const std::filesystem::path& directory);

}  // namespace flare::report

#endif  // FLARE_REPORT_SOURCE_H_
