// A source of runs for a report: a sweep with every run of its grid, or runs that no sweep made.
// All are read and checked.

#ifndef FLARE_REPORT_SOURCE_H_
#define FLARE_REPORT_SOURCE_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/runs/run.h"
#include "flare/runs/sweep_file.h"

namespace flare::report {

struct Source {
  Sweep sweep;
  std::vector<flare::Run> runs;  // every one of the grid, in its order
  // Baselines by language, then split.
  std::map<std::string, std::map<std::string, Baselines>> baselines;
  std::vector<std::string> damaged_baselines;  // a line for each file: which, and what is wrong
  std::string origin = {};  // of runs that no sweep made: in what they differ; else empty

  // Returns the title in a report: the grid's name, else the directory.
  std::string Title() const;
};

// Reads a sweep directory or records. Throws InputError if it is neither.
Source ReadSource(const std::filesystem::path& directory);

// Runs that no sweep made, as if a grid had them: those that differ in their seed only, and in what
// they drew from it, are the trials of one point. Throws InputError if a directory is no run, or a
// damaged one. Requires: at least one.
Source ReadRunsByHand(const std::vector<std::filesystem::path>& directories);

// Is the directory that of a run?
bool IsRun(const std::filesystem::path& directory);

}  // namespace flare::report

#endif  // FLARE_REPORT_SOURCE_H_
