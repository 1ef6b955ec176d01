// Which runs of a grid to look at: --only architecture=rnn,lstm --only trial=1.

#ifndef FLARE_RUNS_RUN_FILTER_H_
#define FLARE_RUNS_RUN_FILTER_H_

#include <map>
#include <string>
#include <vector>

#include "flare/runs/coordinates.h"
#include "flare/runs/grid.h"

namespace flare {

// Every coordinate that is given must have one of its values.
class RunFilter {
 public:
  RunFilter() = default;
  // Texts like "architecture=rnn,lstm". A variant may hold commas, so that variant=... is one
  // value; several are given one by one. Throws InputError for a coordinate that does not exist, or
  // a value that the grid does not have.
  RunFilter(const std::vector<std::string>& conditions, const Grid& grid);
  bool Matches(const Coordinates& run) const;

 private:
  std::map<std::string, std::vector<std::string>> conditions_;
};

}  // namespace flare

#endif  // FLARE_RUNS_RUN_FILTER_H_
