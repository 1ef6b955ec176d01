// flare report OUT --to DIR: the paper's tables and figures from a sweep, ours beside theirs, and a
// page.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "flare/cli/command.h"
#include "flare/report/report.h"
#include "flare/report/watch.h"

namespace flare {
namespace {

struct Options {
  explicit Options(CLI::App& app) {
    app.add_option("OUT", sweep, "the directory of a sweep, finished or not")->required();
    app.add_option("--to", to, "the folder to write into")->required();
    app.add_flag("--watch", watch, "write it again whenever the sweep changes, until it is done");
    AddCount(app, "--every", seconds, "with --watch: look every so many seconds")
        ->needs("--watch")
        ->check(CLI::Range(1, 3600));
  }

  std::string sweep;
  std::string to;
  bool watch = false;
  std::uint64_t seconds = 5;
};

int Report(const Options& options) {
  bool told = false;
  const auto tell = [&](const report::ReportSummary& summary) {
    fmt::print(stderr, "{}\n", summary.Text());
    if (!told) Print((std::filesystem::path(options.to) / "index.html").string() + "\n");
    told = true;
  };
  if (options.watch) {
    report::WatchReport(options.sweep, options.to, options.seconds, tell);
  } else {
    tell(report::WriteReport(options.sweep, options.to));
  }
  return kDone;
}

}  // namespace

std::function<int()> ReportCommand(CLI::App& app) {
  const auto options = std::make_shared<Options>(app);
  return [options] { return Report(*options); };
}

}  // namespace flare
