// flare sweep collect OUT… --to DIR: records of finished runs, small enough for a repository.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "flare/base/text.h"
#include "flare/cli/progress_bar.h"
#include "flare/cli/sweep_commands.h"
#include "flare/cli/tell.h"
#include "flare/experiments/collect.h"

namespace flare {

std::function<int()> SweepCollect(CLI::App& app) {
  struct Options {
    std::vector<std::string> sources, only;
    std::string to;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->sources, "directories of sweeps or of records")->required();
  app.add_option("--to", options->to, "the directory of records, new or to be added to")
      ->required()
      ->type_name("DIR");
  AddOnly(app, options->only);
  return [options] {
    const std::vector<std::filesystem::path> sources(options->sources.begin(),
                                                     options->sources.end());
    ProgressBar bar;
    const CollectSummary summary = CollectRuns(sources, options->only, options->to, bar);
    for (const std::string& line : summary.unreadable) Tell("flare: left out: {}\n", line);
    Tell("flare: {}: {} added, {} known, {} not finished; {} of {} there\n", options->to,
         Counted(summary.added, "run"), summary.known, summary.unfinished, summary.there,
         Counted(summary.runs, "run"));
    return static_cast<int>(summary.unreadable.empty() ? kDone : kNegativeAnswer);
  };
}

}  // namespace flare
