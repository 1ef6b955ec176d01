// flare sweep collect OUT… --to DIR: records of finished runs, small enough for a repository.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "flare/base/file.h"
#include "flare/base/text.h"
#include "flare/cli/progress_bar.h"
#include "flare/cli/sweep_commands.h"
#include "flare/cli/tell.h"
#include "flare/experiments/collect.h"
#include "flare/report/runs_csv.h"
#include "flare/training/known_names.h"

namespace flare {

std::function<int()> SweepCollect(CLI::App& app) {
  struct Options {
    std::vector<std::string> sources, only;
    std::string to;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("OUT", options->sources,
                 "directories of sweeps or of records, or tables of results (runs.csv)")
      ->required();
  app.add_option("--to", options->to, "the directory of records, new or to be added to")
      ->required()
      ->type_name("DIR");
  AddOnly(app, options->only);
  return [options] {
    std::vector<std::filesystem::path> sweeps;
    std::vector<LooseRecords> tables;
    std::vector<std::string> left_out;
    for (const std::string& source : options->sources) {
      if (source.ends_with(".csv")) {
        report::RunsOfCsv runs = report::ReadRunsCsv(ReadFile(source), source, KnownNames());
        tables.push_back({source, std::move(runs.records)});
        left_out.insert(left_out.end(), runs.left_out.begin(), runs.left_out.end());
      } else {
        sweeps.emplace_back(source);
      }
    }
    ProgressBar bar;
    const CollectSummary summary = CollectRuns(sweeps, tables, options->only, options->to, bar);
    left_out.insert(left_out.end(), summary.unreadable.begin(), summary.unreadable.end());
    for (const std::string& line : left_out) Tell("flare: left out: {}\n", line);
    Tell("flare: {}: {} added, {} known, {} not finished; {} of {} there\n", options->to,
         Counted(summary.added, "run"), summary.known, summary.unfinished, summary.there,
         Counted(summary.runs, "run"));
    return static_cast<int>(left_out.empty() ? kDone : kNegativeAnswer);
  };
}

}  // namespace flare
