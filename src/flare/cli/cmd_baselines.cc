// flare baselines DIR…: how far trivial recognizers get on datasets.

#include <memory>

#include "flare/base/json.h"
#include "flare/cli/command.h"
#include "flare/data/baselines.h"

namespace flare {
namespace {

struct BaselinesArguments {
  explicit BaselinesArguments(CLI::App& app) : datasets(app) {
    app.add_flag("--json", json, "as JSON");
  }

  DatasetsArgument datasets;
  bool json = false;
};

int TellBaselines(const BaselinesArguments& options) {
  std::vector<DatasetBaselines> all;
  for (const std::string& directory : options.datasets.directories()) {
    all.push_back(options.datasets.IsKnown(directory)
                      ? ComputeBaselines(directory, options.datasets.Find(directory))
                      : ComputeBaselines(directory, {.resolve = options.datasets.options()}));
  }
  if (!options.json) {
    Print(FormatBaselines(all));
    return kDone;
  }
  auto json = Json::array();
  for (const DatasetBaselines& baselines : all) json.push_back(BaselinesToJson(baselines));
  Print(JsonText(json));
  return kDone;
}

}  // namespace

std::function<int()> BaselinesCommand(CLI::App& app) {
  const auto options = std::make_shared<BaselinesArguments>(app);
  return [options] { return TellBaselines(*options); };
}

}  // namespace flare
