#include "flare/runs/run_filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "flare/base/error.h"
#include "flare/base/text.h"

namespace flare {

RunFilter::RunFilter(const std::vector<std::string>& conditions, const Grid& grid) {
  const auto& names = Coordinates::CoordinateNames();
  const auto runs = grid.Runs();
  for (const std::string& condition : conditions) {
    const std::size_t equals = condition.find('=');
    const std::string name = condition.substr(0, equals);
    if (equals == std::string::npos || std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError("--only", fmt::format("{} is not COORDINATE=VALUE,...", Quoted(condition)),
                       fmt::format("coordinates: {}", fmt::join(names, ", ")));
    }
    for (std::size_t begin = equals + 1; begin <= condition.size();) {
      const std::size_t end = name == "variant"
                                  ? condition.size()
                                  : std::min(condition.find(',', begin), condition.size());
      const std::string value = condition.substr(begin, end - begin);
      if (std::none_of(runs.begin(), runs.end(),
                       [&](const Coordinates& run) { return run.Get(name) == value; })) {
        throw InputError("--only", fmt::format("the grid has no {} {}", name, Quoted(value)));
      }
      conditions_[name].push_back(value);
      begin = end + 1;
    }
  }
}

bool RunFilter::Matches(const Coordinates& run) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& condition) {
    const auto& [name, values] = condition;
    return std::find(values.begin(), values.end(), run.Get(name)) != values.end();
  });
}

}  // namespace flare
