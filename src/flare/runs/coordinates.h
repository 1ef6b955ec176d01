// A place in a grid; together with the base seed, all that identifies a run.

#ifndef FLARE_RUNS_COORDINATES_H_
#define FLARE_RUNS_COORDINATES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flare/runs/external.h"
#include "flare/runs/run_settings.h"

namespace flare {

// A variant: an architecture with settings of its own, what tables have as a column.
//
//   lstm                          the plain architecture
//   lstm,layers=2                 with a setting; several are sorted by key
//   transformer,positions=none    with an option of the architecture
//
// Directories are named by this text, so equal variants have equal texts: each value has one
// spelling, and default values are left out. A label is for people only.
struct Variant {
  std::string architecture;
  SettingTexts settings;
  std::string label;  // the variant's name in tables; if empty, its text

  std::string Text() const;
};

// Returns the architecture that a variant's text names.
std::string ArchitectureOf(std::string_view variant);

// Throws InputError: unknown architectures, settings and values, coordinates of the grid, a text of
// more than 200 bytes.
Variant MakeVariant(const std::string& architecture, const SettingTexts& settings,
                    const SettingPlaces& places, const std::vector<External>& externals = {});
// Reads a variant from its text. Throws InputError.
Variant ParseVariant(const std::string& text, const std::string& where,
                     const std::vector<External>& externals = {});

struct Coordinates {
  std::string language;  // the name of its dataset
  std::string variant;   // as Variant::Text writes it
  std::string loss;
  std::string validation;
  std::size_t budget = 0;
  std::size_t trial = 1;  // from 1

  std::string architecture() const;
  // LANG/VARIANT/LOSS/VALIDATION/BUDGET/TRIAL, below OUT/runs.
  std::string Path() const;

  // Returns a coordinate by name: language, architecture, variant, loss, validation, budget or
  // trial.
  std::string Get(std::string_view name) const;
  static const std::vector<std::string>& CoordinateNames();

  bool operator==(const Coordinates&) const = default;
};

}  // namespace flare

#endif  // FLARE_RUNS_COORDINATES_H_
