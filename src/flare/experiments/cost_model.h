// Estimates how long runs take, from measurements of similar runs, and by a rule of thumb before
// there are any. The estimates order the work and tell when it will be done; no result depends on
// them.

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
