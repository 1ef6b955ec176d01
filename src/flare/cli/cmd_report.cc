// flare report OUT… --to DIR: the paper's tables and figures from a sweep, ours beside theirs, and
// a page.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "flare/cli/command.h"
#include "flare/cli/tell.h"
#include "flare/report/report.h"
#include "flare/report/watch.h"
#include "flare/training/known_names.h"

namespace flare {
namespace {

struct ReportArguments {
  explicit ReportArguments(CLI::App& app) {
    app.add_option("OUT", sweeps, "directories of sweeps, finished or not; several count as one")
        ->required();
    app.add_option("--to", to, "the folder to write into")->required();
    CLI::Option* watching =
        app.add_flag("--watch", watch, "write it again whenever a sweep changes, until it is done");
    AddCount(app, "--every", seconds, "with --watch: look every so many seconds")
        ->needs(watching)
        ->check(CLI::Range(1, 3600));
  }

  std::vector<std::string> sweeps;
  std::string to;
  bool watch = false;
  std::uint64_t seconds = 5;
};

int Report(const ReportArguments& options) {
  const std::vector<std::filesystem::path> sweeps(options.sweeps.begin(), options.sweeps.end());
  bool told = false;
  const auto tell = [&](const report::ReportSummary& summary) {
    Tell("{}\n", summary.Text());
    if (!told) Print((std::filesystem::path(options.to) / "index.html").string() + "\n");
    told = true;
  };
  if (options.watch) {
    report::WatchReport(sweeps, KnownNames(), options.to, options.seconds, tell);
  } else {
    tell(report::WriteReport(sweeps, KnownNames(), options.to));
  }
  return kDone;
}

}  // namespace

std::function<int()> ReportCommand(CLI::App& app) {
  const auto options = std::make_shared<ReportArguments>(app);
  return [options] { return Report(*options); };
}

}  // namespace flare
