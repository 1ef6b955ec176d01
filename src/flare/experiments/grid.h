// A grid: languages × architectures × losses × validation sets × sizes × trials, as a TOML file.
//
//   name = "mine"
//   languages = ["parity", {name = "ab-star", language = "regex:(ab)*"}]   # or "paper", "all"
//   architectures = ["lstm"]
//   losses = ["rec", "rec+ns"]
//   validations = ["short", "long"]
//   budgets = [64_000]
//   trials = 3
//   seed = 0          # base seed: every run's seed comes from it and the run's coordinates
//   data_seed = 0     # of the datasets
//   [settings]        # for every run: any setting of flare train
//   max_epochs = 100
//   [data]            # settings of the datasets, as flare generate --set takes them
//   splits.train.size = 1000

#ifndef FLARE_EXPERIMENTS_GRID_H_
#define FLARE_EXPERIMENTS_GRID_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/base/json.h"
#include "flare/training/run_config.h"

namespace flare {

// A place in the grid, and with the base seed all that makes a run this one and no other.
struct Coordinates {
  std::string language;
  std::string architecture;
  std::string loss;
  std::string validation;
  std::size_t budget = 0;
  std::size_t trial = 1;  // from 1

  // LANG/ARCHITECTURE/LOSS/VALIDATION/BUDGET/TRIAL, below OUT/runs.
  std::string Path() const;
};

struct Grid {
  std::string name;
  struct GridLanguage {
    std::string name;      // of the dataset's directory
    std::string language;  // as `flare generate` takes it
  };
  std::vector<GridLanguage> languages;
  std::vector<std::string> architectures, losses, validations;
  std::vector<std::size_t> budgets;
  std::size_t trials = 1;
  std::uint64_t seed = 0;
  std::uint64_t data_seed = 0;
  SettingTexts settings;  // of every run
  SettingTexts data;      // of every dataset

  // In grid order: nested loops, languages outermost, trials innermost.
  std::vector<Coordinates> Runs() const;
  // Independent of what else is in the grid.
  std::uint64_t SeedOf(const Coordinates& run) const;
  // What MakeRunConfig is to be given.
  SettingTexts SettingsOf(const Coordinates& run) const;
};

// Throws InputError with file and line: unknown keys, empty lists, settings that do not exist.
Grid ParseGrid(std::string_view toml, const std::string& file);

// The text of configs/NAME.toml, which is part of the program.
std::optional<std::string_view> PresetFile(std::string_view file);
// Throws InputError.
Grid PresetGrid(const std::string& name);

Json GridToJson(const Grid& grid);
Grid GridFromJson(const Json& json, const std::string& file);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_GRID_H_
