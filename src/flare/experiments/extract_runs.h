// Extracts what the finished runs of a sweep have learned (extraction/extract.h), several at a
// time. Keeps extractions that exist, so that an interrupted command can be continued.

#ifndef FLARE_EXPERIMENTS_EXTRACT_RUNS_H_
#define FLARE_EXPERIMENTS_EXTRACT_RUNS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "flare/base/long_work.h"
#include "flare/extraction/extract.h"
#include "flare/runs/grid.h"
#include "flare/runs/sweep_file.h"
#include "flare/training/measure.h"

namespace flare {

struct ExtractSummary {
  std::size_t extracted = 0;
  std::size_t known = 0;                 // extracted before with the same options
  std::size_t unfinished = 0;            // runs
  std::size_t without_model = 0;         // diverged before their first checkpoint
  std::size_t external = 0;              // networks of other programs, which we cannot run
  std::size_t held = 0;                  // runs that other processes work on
  std::vector<std::string> failed = {};  // runs and why
  std::string stopped = {};              // why, if it was asked to stop
};

struct ExtractRunsOptions {
  ExtractionOptions extraction = {};
  RunFilter only = {};
  std::size_t jobs = 1;        // threads
  StopRequest stop = nullptr;  // asked before every run
};

// Throws IoError. Only reports what is wrong with a single run. Requires: not a sweep of records.
ExtractSummary ExtractRuns(const Sweep& sweep, const ExtractRunsOptions& options,
                           ProgressObserver& observer);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_EXTRACT_RUNS_H_
