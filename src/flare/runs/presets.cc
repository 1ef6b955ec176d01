#include "flare/runs/presets.h"

#include <algorithm>

namespace flare {
namespace {

template <class Visit>
void ForEachPreset(Visit visit) {
  for (const std::string_view file : BuiltInFiles()) {
    if (!file.ends_with(".toml")) continue;
    Grid grid = ParseGrid(*BuiltInFile(file), std::string(file));
    if (!grid.report.published.empty()) {
      grid.report.published = "built-in:" + grid.report.published;
    }
    visit(grid);
  }
}

}  // namespace

std::vector<std::string> PresetNames() {
  std::vector<std::string> all;
  ForEachPreset([&](const Grid& grid) { all.push_back(grid.name); });
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<Grid> FindPreset(const std::string& name) {
  std::optional<Grid> found;
  if (name.empty()) return found;
  ForEachPreset([&](const Grid& grid) {
    if (grid.name == name) found = grid;
  });
  return found;
}

}  // namespace flare
