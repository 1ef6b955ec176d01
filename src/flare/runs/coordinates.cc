#include "flare/runs/coordinates.h"

#include <fmt/format.h>

#include "flare/base/check.h"
#include "flare/runs/variant.h"

namespace flare {

std::string Coordinates::architecture() const { return ArchitectureOf(variant); }

std::string Coordinates::Path() const {
  return fmt::format("{}/{}/{}/{}/{}/{}", language, variant, loss, validation, budget, trial);
}

const std::vector<std::string>& Coordinates::CoordinateNames() {
  static const std::vector<std::string> names = {"language",   "architecture", "variant", "loss",
                                                 "validation", "budget",       "trial"};
  return names;
}

std::string Coordinates::Get(std::string_view name) const {
  if (name == "language") return language;
  if (name == "architecture") return architecture();
  if (name == "variant") return variant;
  if (name == "loss") return loss;
  if (name == "validation") return validation;
  if (name == "budget") return std::to_string(budget);
  FLARE_CHECK(name == "trial");
  return std::to_string(trial);
}

}  // namespace flare
