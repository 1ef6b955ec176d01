#include "flare/report/report.h"

#include <fmt/format.h>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/report/figures.h"
#include "flare/report/output_folder.h"
#include "flare/report/page.h"
#include "flare/report/run_files.h"
#include "flare/report/runs_csv.h"
#include "flare/report/select.h"
#include "flare/report/sweep.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

void WriteTables(const Selection& selection, RunFiles& files, OutputFolder& out) {
  for (const Table& table :
       {MainTable(selection), MainLongTable(selection), ComparisonTable(selection),
        ClaimsTable(selection), BestLossTable(selection), ModelSizesTable(selection),
        PredictedTable(selection), WrongAnswersTable(selection, selection.sweep().axes.languages),
        CostTable(selection)}) {
    WriteTable(table, "tables", out);
  }
  if (selection.sweep().shows_paper) WriteTable(AgreementTable(selection), "tables", out);
  for (const NumericAxis& axis : NumericAxesOf(selection.sweep())) {
    WriteTable(AxisTable(selection, axis), "tables", out);
  }
  if (const Table splits = TestSplitsTable(selection); !splits.rows.empty()) {
    WriteTable(splits, "tables", out);
  }
  if (const Table learned = LearnedTable(selection, files); !learned.rows.empty()) {
    WriteTable(learned, "tables", out);
  }
  for (const std::string& language : selection.sweep().axes.languages) {
    WriteTable(FullTable(selection, language), "tables/full", out);
  }
}

}  // namespace

std::string ReportSummary::Text() const {
  std::string text = fmt::format("{} of {} finished", finished + diverged, Counted(runs, "run"));
  if (diverged > 0) text += fmt::format(", {} of them diverged", diverged);
  if (failed > 0) text += fmt::format("; {} failed", failed);
  if (!damaged_runs.empty()) text += fmt::format("; {} damaged", damaged_runs.size());
  if (!damaged_baselines.empty()) {
    text += fmt::format("; {} of baselines damaged", Counted(damaged_baselines.size(), "file"));
  }
  if (!damaged_manifests.empty()) {
    text += fmt::format("; {} damaged", Counted(damaged_manifests.size(), "manifest"));
  }
  if (running > 0) text += fmt::format("; {} running", running);
  return text;
}

ReportSummary WriteReport(const std::vector<fs::path>& sweeps, const Names& names,
                          const fs::path& to, const ReportOptions& options) {
  Sweep sweep = ReadSweeps(sweeps, names);
  sweep.shows_paper = options.paper;
  const Selection selection(sweep);
  if (fs::exists(to / "pairs.csv")) {
    throw InputError(to, "holds a comparison", "name another folder for the report");
  }
  OutputFolder out(to);
  RunFiles files;
  WriteTables(selection, files, out);
  out.Write("runs.csv", FormatRunsCsv(sweep));
  WriteFigures(selection, files, out);
  WritePage(selection, options.refresh_seconds, files, out);
  out.Finish();
  ReportSummary summary{.runs = sweep.runs.size(),
                        .finished = sweep.Count(RunState::kFinished),
                        .diverged = sweep.Count(RunState::kDiverged),
                        .failed = sweep.Count(RunState::kFailed),
                        .running = sweep.Count(RunState::kRunning),
                        .damaged_runs = {},
                        .damaged_baselines = sweep.damaged_baselines,
                        .damaged_manifests = sweep.damaged_manifests,
                        .unreadable = sweep.Count(RunState::kDamaged)};
  for (const Run& run : sweep.runs) {
    const auto found = files.damage().find(run.directory);
    if (run.state == RunState::kDamaged) {
      summary.damaged_runs.push_back(fmt::format("{}: {}", run.at.Path(), run.failure));
    } else if (found != files.damage().end()) {
      summary.damaged_runs.push_back(fmt::format("{}: {}", run.at.Path(), found->second));
    }
  }
  return summary;
}

}  // namespace flare::report
