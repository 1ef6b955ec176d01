// flare report OUT --to DIR: the paper's tables and figures from a sweep, ours beside theirs, and a
// page.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "flare/cli/command.h"
#include "flare/report/report.h"

namespace flare {
namespace {

struct Options {
  explicit Options(CLI::App& app) {
    app.add_option("OUT", sweep, "the directory of a sweep, finished or not")->required();
    app.add_option("--to", to, "the folder to write into")->required();
  }

  std::string sweep;
  std::string to;
};

int Report(const Options& options) {
  const report::ReportSummary summary = report::WriteReport(options.sweep, options.to);
  fmt::print(stderr, "{}\n", summary.Text());
  Print((std::filesystem::path(options.to) / "index.html").string() + "\n");
  return kDone;
}

}  // namespace

std::function<int()> ReportCommand(CLI::App& app) {
  const auto options = std::make_shared<Options>(app);
  return [options] { return Report(*options); };
}

}  // namespace flare
