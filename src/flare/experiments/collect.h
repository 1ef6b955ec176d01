// Collects what reports need of finished runs into a directory of records (runs/records.h), from
// sweep directories and from other records, such as those of several machines.
//
// If two sources hold the same run, their models must have the same hash, so that every collection
// tests reproducibility.

#ifndef FLARE_EXPERIMENTS_COLLECT_H_
#define FLARE_EXPERIMENTS_COLLECT_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/base/long_work.h"
#include "flare/runs/grid.h"
#include "flare/runs/records.h"
#include "flare/runs/sweep_file.h"

namespace flare {

struct CollectSummary {
  std::size_t added = 0;
  std::size_t known = 0;                // runs that had a record before
  std::size_t unfinished = 0;           // runs of the sources' grids that are not finished
  std::vector<std::string> unreadable;  // finished runs and manifests that are damaged, and how
  std::size_t there = 0, runs = 0;      // records in the end, and runs of the grid
};

// Collecting twice changes no byte. Throws InputError, and writes nothing, if two sources hold
// different runs at the same place, or have grids of which neither contains the other. Requires: at
// least one source.
CollectSummary CollectRuns(const std::vector<std::filesystem::path>& sources,
                           const std::vector<std::string>& only, const std::filesystem::path& to,
                           ProgressObserver& observer);

// The runs of a sweep that need not be trained, because records of them exist.
struct KnownRuns {
  // The core seconds that each of them took, by Coordinates::Path().
  std::map<std::string, double> seconds;
  // The number of records that have a place in the sweep but belong to different runs, and how the
  // first of them differs.
  std::size_t others = 0;
  std::string difference;
  std::vector<std::string> unreadable;  // files of records that cannot be read, and why
};

// A record counts if it has the settings, the seed, the data and the arithmetic that the run would
// have here. Throws InputError if the directory has no records.
KnownRuns FindKnownRuns(const std::filesystem::path& records, const Sweep& sweep);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_COLLECT_H_
