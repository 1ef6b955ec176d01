// The grids that are part of the program: configs/NAME.toml.

#ifndef FLARE_EXPERIMENTS_PRESETS_H_
#define FLARE_EXPERIMENTS_PRESETS_H_

#include <optional>
#include <string>
#include <string_view>

#include "flare/runs/grid.h"

namespace flare {

// The text of configs/FILE.
std::optional<std::string_view> PresetFile(std::string_view file);

// Throws InputError.
Grid PresetGrid(const std::string& name);

}  // namespace flare

#endif  // FLARE_EXPERIMENTS_PRESETS_H_
