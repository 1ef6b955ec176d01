// A place in a grid; together with the base seed, all that identifies a run.

#ifndef FLARE_RUNS_COORDINATES_H_
#define FLARE_RUNS_COORDINATES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flare {

struct Coordinates {
  std::string language;  // the name of its dataset
  std::string variant;   // as variant.h writes it
  std::string loss;
  std::string validation;
  std::size_t budget = 0;
  std::size_t trial = 1;  // from 1

  std::string architecture() const;
  // LANG/VARIANT/LOSS/VALIDATION/BUDGET/TRIAL, below OUT/runs.
  std::string Path() const;

  // By name: language, architecture, variant, loss, validation, budget or trial.
  std::string Get(std::string_view name) const;
  static const std::vector<std::string>& CoordinateNames();

  bool operator==(const Coordinates&) const = default;
};

}  // namespace flare

#endif  // FLARE_RUNS_COORDINATES_H_
