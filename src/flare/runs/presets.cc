#include "flare/runs/presets.h"

#include <algorithm>

namespace flare {
namespace {

template <class Visit>
void ForEachPreset(const Names& names, Visit visit) {
  for (const std::string_view file : BuiltInFiles()) {
    if (!file.ends_with(".toml")) continue;
    Grid grid = ParseGrid(*BuiltInFile(file), std::string(file), names);
    if (!grid.report.published.empty()) {
      grid.report.published = "built-in:" + grid.report.published;
    }
    visit(grid);
  }
}

}  // namespace

std::vector<std::string> PresetNames(const Names& names) {
  std::vector<std::string> all;
  ForEachPreset(names, [&](const Grid& grid) { all.push_back(grid.name); });
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<Grid> FindPreset(const std::string& name, const Names& names) {
  std::optional<Grid> found;
  if (name.empty()) return found;
  ForEachPreset(names, [&](const Grid& grid) {
    if (grid.name == name) found = grid;
  });
  return found;
}

}  // namespace flare
