#include "flare/report/source.h"

#include <fmt/format.h>

#include <utility>

#include "flare/base/text.h"
#include "flare/report/dataset_facts.h"

namespace flare::report {

namespace fs = std::filesystem;

std::string Source::Title() const {
  return Visible(sweep.grid.name.empty() ? sweep.out.string() : sweep.grid.name);
}

Source ReadSource(const fs::path& directory) {
  Source source{
      .sweep = ReadSweep(directory), .runs = {}, .baselines = {}, .damaged_baselines = {}};
  source.runs = ReadRuns(source.sweep);
  for (const auto& language : source.sweep.grid.languages) {
    BaselineFile file = ReadBaselines(source.sweep, language.name);
    const auto data = DataOf(source, language.name);
    if (data && !file.data_sha256.empty() && file.data_sha256 != data->Sha256OfAll()) {
      file = {{},
              fmt::format("{}: is of other data than the runs",
                          source.sweep.BaselinesPath(language.name).string()),
              ""};
    }
    if (!file.splits.empty()) source.baselines[language.name] = std::move(file.splits);
    if (!file.damage.empty()) source.damaged_baselines.push_back(std::move(file.damage));
  }
  return source;
}

}  // namespace flare::report
