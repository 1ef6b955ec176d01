// flare papers: the grids that are part of the program, with what they show and what they cost.

#include <fmt/format.h>

#include <memory>

#include "flare/base/json.h"
#include "flare/cli/command.h"
#include "flare/runs/grid.h"

namespace flare {
namespace {

std::string PapersAsText() {
  std::string text =
      fmt::format("{:<14}{:>6}{:>12}  {}\n", "NAME", "RUNS", "CORE HOURS", "WHAT IT SHOWS");
  for (const Grid& grid : Presets()) {
    text += fmt::format("{:<14}{:>6}{:>12}  {}\n", grid.name, grid.Runs().size(),
                        grid.core_hours ? fmt::format("{:g}", *grid.core_hours) : "-", grid.shows);
  }
  return text +
         "\n- was not measured. flare sweep run --preset NAME --data DIR --out DIR runs one; "
         "papers/ in the sources has their READMEs.\n";
}

std::string PapersAsJson() {
  auto rows = Json::array();
  for (const Grid& grid : Presets()) {
    rows.push_back({{"name", grid.name},
                    {"runs", grid.Runs().size()},
                    {"languages", grid.languages.size()},
                    {"core_hours", grid.core_hours ? Json(*grid.core_hours) : Json(nullptr)},
                    {"shows", grid.shows}});
  }
  return JsonText(rows);
}

}  // namespace

std::function<int()> PapersCommand(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as JSON");
  return [json] {
    Print(*json ? PapersAsJson() : PapersAsText());
    return static_cast<int>(kDone);
  };
}

}  // namespace flare
