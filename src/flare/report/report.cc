#include "flare/report/report.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "flare/base/error.h"
#include "flare/base/text.h"
#include "flare/report/figures.h"
#include "flare/report/output_folder.h"
#include "flare/report/page.h"
#include "flare/report/run_files.h"
#include "flare/report/runs_csv.h"
#include "flare/report/select.h"
#include "flare/report/study.h"
#include "flare/report/table_formats.h"
#include "flare/report/tables.h"
#include "flare/report/whole_trials.h"

namespace flare::report {
namespace {

namespace fs = std::filesystem;

// Tables that somebody else made. They must not hide ours.
std::vector<Table> ReadExtraTables(const fs::path& dir) {
  if (dir.empty()) return {};
  std::vector<Table> tables = ReadTables(dir);
  std::set<std::string> names;
  for (const TableKind& kind : TableCatalogue()) names.insert(kind.name);
  for (const Table& table : tables) {
    if (table.name.starts_with("axis-") || !names.insert(table.name).second) {
      throw InputError(dir, fmt::format("has a table {}, as the report has", Quoted(table.name)),
                       "give it another name");
    }
  }
  return tables;
}

}  // namespace

std::string ReportSummary::Text() const {
  std::string text =
      fmt::format("{} of {} finished", finished + diverged + left_out, Counted(runs, "run"));
  if (diverged > 0) text += fmt::format(", {} of them diverged", diverged);
  if (left_out > 0) {
    text += fmt::format(", {} of them left out, of trials that are not whole", left_out);
  }
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
  if (options.whole_trials && sweeps.size() > 1) {
    throw InputError("--whole-trials", fmt::format("takes one sweep, not {}", sweeps.size()),
                     "flare sweep collect merges several of one grid");
  }
  Study study = ReadStudy(sweeps, names);
  study.shows_published = options.published;
  if (options.whole_trials) MarkPartialTrials(study);
  const std::string all_runs = FormatRunsCsv(study);
  DropLeftOut(study);
  const Selection selection(study);
  if (fs::exists(to / "pairs.csv")) {
    throw InputError(to, "holds a comparison", "name another folder for the report");
  }
  const std::vector<Table> extra = ReadExtraTables(options.tables);
  OutputFolder out(to);
  RunFiles files;
  const std::vector<Table> tables = MakeTables(selection, files);
  for (const Table& table : tables) WriteTable(table, "tables", out);
  for (const Table& table : extra) WriteTable(table, "tables", out);
  for (const std::string& language : study.axes.languages) {
    WriteTable(WithNoteOf(study, FullTable(selection, language)), "tables/full", out);
  }
  out.Write("runs.csv", all_runs);
  WriteFigures(selection, files, out);
  WritePage(selection, tables, extra, options.refresh_seconds, files, out);
  out.Finish();
  ReportSummary summary{.runs = study.runs.size(),
                        .finished = study.Count(RunState::kFinished),
                        .diverged = study.Count(RunState::kDiverged),
                        .failed = study.Count(RunState::kFailed),
                        .running = study.Count(RunState::kRunning),
                        .left_out = study.LeftOut(),
                        .damaged_runs = {},
                        .damaged_baselines = study.damaged_baselines,
                        .damaged_manifests = study.damaged_manifests,
                        .unreadable = study.Count(RunState::kDamaged)};
  for (const Run& run : study.runs) {
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
