// Grids that are part of the program, and what belongs to them: configs/*.toml, papers/*/*.toml and
// papers/*/published.json. A paper is added by adding its folder.

#ifndef FLARE_RUNS_PRESETS_H_
#define FLARE_RUNS_PRESETS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flare/runs/grid.h"

namespace flare {

// The text of a file by its path in this repository, such as papers/butoi-2025/grid.toml.
std::optional<std::string_view> BuiltInFile(std::string_view path);
// The paths of all.
std::vector<std::string_view> BuiltInFiles();

// All presets, sorted by name.
std::vector<Grid> Presets();
// The names of all presets, which are those of their grids, in alphabetical order.
std::vector<std::string> PresetNames();
// Nothing if no preset has this name.
std::optional<Grid> FindPreset(const std::string& name);

}  // namespace flare

#endif  // FLARE_RUNS_PRESETS_H_
