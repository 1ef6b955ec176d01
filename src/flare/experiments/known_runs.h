// Which runs of a sweep need not be done, because there are records of them.

#ifndef FLARE_EXPERIMENTS_KNOWN_RUNS_H_
#define FLARE_EXPERIMENTS_KNOWN_RUNS_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flare/runs/sweep_file.h"

namespace flare {

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

#endif  // FLARE_EXPERIMENTS_KNOWN_RUNS_H_
