// flare plot RUN…: learning curves and accuracy by length, in the terminal and as SVG.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "flare/base/error.h"
#include "flare/base/file.h"
#include "flare/cli/command.h"
#include "flare/cli/terminal.h"
#include "flare/report/plots.h"
#include "flare/report/source.h"
#include "flare/report/study.h"
#include "flare/runs/sweep_file.h"

namespace flare {
namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  explicit PlotArguments(CLI::App& app) {
    app.add_option("RUN", runs, "run directories, finished or not")->required();
    app.add_option("--to", to, "a folder to write the plots into, as SVG")->type_name("DIR");
  }

  std::vector<std::string> runs;
  std::string to;
};

report::Study ReadRunsToPlot(const std::vector<std::string>& runs) {
  for (const std::string& run : runs) {
    if (fs::exists(SweepFile(run))) {
      throw InputError(run, "is a sweep, not a run", "flare report draws the figures of sweeps");
    }
    if (!report::IsRun(run)) {
      throw InputError(run, "is not a run: it has no config.json", "flare train makes runs");
    }
  }
  return report::ReadStudy({runs.begin(), runs.end()});
}

int PlotRuns(const PlotArguments& options) {
  constexpr std::size_t kRows = 13, kMostColumns = 100;
  const report::Study study = ReadRunsToPlot(options.runs);
  report::RunFiles files;
  const report::Plots plots = report::PlotsOfRuns(study, files);
  for (const auto& [run, damage] : files.damage()) Tell("damaged  {}: {}\n", run.string(), damage);
  if (plots.empty()) {
    throw InputError(options.runs[0], "has no checkpoint yet", "there is nothing to draw");
  }
  const std::size_t columns = std::min(SizeOfTerminal().columns, kMostColumns);
  std::string text;
  for (const auto& [name, plot] : plots) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", plot.y_title,
                        report::FormatText(plot, columns, kRows));
  }
  Print(text);
  if (options.to.empty()) return kDone;
  MakeDirectories(options.to);
  for (const auto& [name, plot] : plots) {
    const fs::path file = fs::path(options.to) / (name + ".svg");
    WriteFileAtomically(file, report::DrawPlot(plot).Svg());
    Print(file.string() + "\n");
  }
  return kDone;
}

}  // namespace

std::function<int()> PlotCommand(CLI::App& app) {
  const auto options = std::make_shared<PlotArguments>(app);
  return [options] { return PlotRuns(*options); };
}

}  // namespace flare
