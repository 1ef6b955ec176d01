#include "flare/runs/presets.h"

#include <algorithm>
#include <utility>

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

std::vector<Grid> Presets() {
  std::vector<Grid> all;
  ForEachPreset([&](Grid& grid) { all.push_back(std::move(grid)); });
  std::sort(all.begin(), all.end(), [](const Grid& a, const Grid& b) { return a.name < b.name; });
  return all;
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> all;
  for (const Grid& grid : Presets()) all.push_back(grid.name);
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
