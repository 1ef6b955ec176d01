// Collects what reports need of finished runs into a directory of records (runs/records.h), from
// sweep directories and from other records: the results of several machines meet here.
//
// A run that two of them hold must be the same to the bit, which its model's hash shows: so every
// collection is a test of reproducibility.

#ifndef FLARE_EXPERIMENTS_COLLECT_H_
#define FLARE_EXPERIMENTS_COLLECT_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/base/progress.h"
#include "flare/runs/grid.h"
#include "flare/runs/records.h"
#include "flare/runs/sweep_file.h"

namespace flare {

struct CollectSummary {
  std::size_t added = 0;
  std::size_t known = 0;                // those that were there already
  std::size_t unfinished = 0;           // of the sources' grids, not finished (yet)
  std::vector<std::string> unreadable;  // finished runs and manifests that are damaged, and how
  std::size_t there = 0, runs = 0;      // in the end, of how many that the grid has
};

// Collecting twice changes no byte. Throws InputError, and writes nothing, if two sources hold
// different runs at the same place, or have grids of which neither contains the other. Requires: at
// least one source.
CollectSummary CollectRuns(const std::vector<std::filesystem::path>& sources,
                           const std::vector<std::string>& only, const std::filesystem::path& to,
                           ProgressObserver& observer);

// Which runs of a sweep need not be done, because there are records of them.
struct KnownRuns {
  // Which they are, and how many seconds of a core each took, by Coordinates::Path().
  std::map<std::string, double> seconds;
  // Records at places of the sweep that are of other runs, and how the first of them differs.
  std::size_t others = 0;
  std::string difference;
  std::vector<std::string> unreadable;  // files of records, and why: nothing in them is known
};

// A record counts if it is of the settings, the seed, the data and the arithmetic that the run here
// would have. Throws InputError if the directory has no records.
KnownRuns FindKnownRuns(const std::filesystem::path& records, const Sweep& sweep);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_COLLECT_H_
