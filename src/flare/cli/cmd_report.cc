// flare report OUT… --to DIR: tables and figures of sweeps and runs, published values beside ours,
// and a page. flare report A B --compare --to DIR: two sweeps run by run.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "flare/base/error.h"
#include "flare/cli/command.h"
#include "flare/cli/terminal.h"
#include "flare/report/compare.h"
#include "flare/report/report.h"

namespace flare {
namespace {

struct ReportArguments {
  explicit ReportArguments(CLI::App& app) {
    app.add_option("OUT", sweeps,
                   "directories of sweeps or of single runs, finished or not; several are reported "
                   "together")
        ->required();
    app.add_option("--to", to, "the folder to write into")->required()->type_name("DIR");
    app.add_flag("--watch", watch, "write it again whenever a sweep changes, until it is done");
    app.add_flag("--no-published", no_published, "leave out published values");
    app.add_flag("--no-paper", no_published, "as --no-published, which it was called before")
        ->group("");
    app.add_flag("--whole-trials", whole_trials,
                 "leave out the runs of trials that are not done at every point of the grid");
    app.add_option("--tables", tables,
                   "show these further tables too: DIR/*.json, as an analysis makes them")
        ->type_name("DIR");
    app.add_option("--metric", metric,
                   "what tables show of runs, as state_accuracy_positions or scaled_accuracy "
                   "[what the grid says, else accuracy]")
        ->type_name("NAME");
    app.add_flag("--compare", compare,
                 "pair the runs of two sweeps and give the differences, second minus first");
    every =
        AddCount(app, "--every", seconds, "with --watch: how often to look, in seconds, 1 to 3600");
  }

  // CLI11 would say all this in the help, in words of its own.
  void Check() const {
    if (watch && compare) throw InputError("--compare", "cannot be combined with --watch");
    if (whole_trials && compare) {
      throw InputError("--compare", "cannot be combined with --whole-trials",
                       "it pairs the runs that both sweeps have");
    }
    if (!tables.empty() && compare) {
      throw InputError("--compare", "cannot be combined with --tables");
    }
    if (!metric.empty() && compare) {
      throw InputError("--compare", "cannot be combined with --metric");
    }
    if (every->count() > 0 && !watch) throw InputError("--every", "needs --watch");
    if (seconds < 1 || seconds > 3600) {
      throw InputError("--every", fmt::format("{} is not from 1 to 3600", seconds));
    }
  }

  std::vector<std::string> sweeps;
  std::string to, tables, metric;
  bool watch = false, compare = false, no_published = false, whole_trials = false;
  std::uint64_t seconds = 5;
  CLI::Option* every = nullptr;
};

int Compare(const ReportArguments& options) {
  if (options.sweeps.size() != 2) {
    throw InputError("--compare", fmt::format("takes two sweeps, not {}", options.sweeps.size()));
  }
  const auto summary = report::WriteComparison(options.sweeps[0], options.sweeps[1], options.to);
  for (const std::string& run : summary.damaged_runs) Tell("damaged  {}\n", run);
  Tell("{}\n", summary.Text());
  Print((std::filesystem::path(options.to) / "compare.md").string() + "\n");
  return kDone;
}

int Report(const ReportArguments& options) {
  const std::vector<std::filesystem::path> sweeps(options.sweeps.begin(), options.sweeps.end());
  const report::ReportOptions how{.published = !options.no_published,
                                  .whole_trials = options.whole_trials,
                                  .metric = options.metric,
                                  .tables = options.tables,
                                  .refresh_seconds = 0};
  bool told = false;
  const auto tell = [&](const report::ReportSummary& summary) {
    for (const std::string& run : summary.damaged_runs) Tell("damaged  {}\n", run);
    for (const std::string& file : summary.damaged_baselines) {
      Tell("damaged  {}; flare sweep run makes it again\n", file);
    }
    for (const std::string& file : summary.damaged_manifests) {
      Tell("damaged  {}; its data is described as it was planned\n", file);
    }
    Tell("{}\n", summary.Text());
    if (!told) Print((std::filesystem::path(options.to) / "index.html").string() + "\n");
    told = true;
  };
  if (options.watch) {
    report::WatchReport(sweeps, options.to, options.seconds, how, tell);
  } else {
    tell(report::WriteReport(sweeps, options.to, how));
  }
  return kDone;
}

}  // namespace

std::function<int()> ReportCommand(CLI::App& app) {
  const auto options = std::make_shared<ReportArguments>(app);
  return [options] {
    options->Check();
    return options->compare ? Compare(*options) : Report(*options);
  };
}

}  // namespace flare
