#include "flare/report/source.h"

#include <utility>

namespace flare::report {

namespace fs = std::filesystem;

std::string Source::Title() const {
  return sweep.grid.name.empty() ? sweep.out.string() : sweep.grid.name;
}

Source ReadSource(const fs::path& directory, const Names& names) {
  Source source{.sweep = ReadSweep(directory, names), .runs = {}, .baselines = {}};
  source.runs = ReadPlacedRuns(source.sweep, names);
  for (const auto& language : source.sweep.grid.languages) {
    auto baselines = ReadBaselines(source.sweep.BaselinesPath(language.name));
    if (!baselines.empty()) source.baselines[language.name] = std::move(baselines);
  }
  return source;
}

}  // namespace flare::report
