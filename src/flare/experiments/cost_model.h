// How long runs take: by what was measured of similar ones, before that by a rule of thumb. Orders
// the work and says how long it will take; no result depends on it.

#ifndef FLARE_EXPERIMENTS_COST_MODEL_H_
#define FLARE_EXPERIMENTS_COST_MODEL_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "flare/runs/coordinates.h"
#include "flare/runs/grid.h"

namespace flare {

class CostModel {
 public:
  explicit CostModel(const Grid& grid);

  void Observe(const Coordinates& run, double seconds);
  // Seconds on one core.
  double Expect(const Coordinates& run) const;

 private:
  // Before anything was measured. Seconds.
  double RuleOfThumb(const Coordinates& run) const;

  struct Mean {
    std::size_t runs = 0;
    double seconds = 0;  // in all
    double rule = 0;     // what the rule of thumb gave for them, in all
  };
  std::map<std::pair<std::string, std::string>, Mean> by_kind_;  // variant, loss
  Mean all_;
  double examples_;  // that a run is expected to see
};

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_COST_MODEL_H_
